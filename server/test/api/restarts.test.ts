import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { migrate } from "#adapters/postgres/migrate.ts";
import { RedisBus } from "#adapters/redis/bus.ts";
import { type EventStream, openStream } from "./event-stream.ts";
import { startApi, type TestApi, type TestUser } from "./harness.ts";
import { type RedisServer, redisAvailable, startRedis } from "./redis-server.ts";

/**
 * Two API processes' worth of hubs on one Redis, one of which also plays the leader's listener. While changes stream,
 * each part in turn is killed and comes back. Afterwards every client must hold what the database holds.
 */
describe.skipIf(!redisAvailable())("restarts during a stream of changes", () => {
  let directory: string;
  let postgres: EmbeddedPostgres;
  let redis: RedisServer;
  let apis: TestApi[];
  let users: TestUser[];
  let streams: EventStream[];
  let buses: RedisBus[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "codehub-restarts-"));
    await chmod(directory, 0o711);
    postgres = await EmbeddedPostgres.start({ dir: directory, fallbackDir: directory });
    await migrate(postgres.url);
    redis = await startRedis();
    buses = [0, 1].map(() => new RedisBus({ url: redis.url, onError: () => undefined }));
    const [first, second] = buses;
    if (first === undefined || second === undefined) throw new Error("two buses");
    apis = [
      await startApi({ databaseUrl: postgres.url, bus: first, listens: true }),
      await startApi({ databaseUrl: postgres.url, bus: second, listens: false }),
    ];
    users = [];
    for (const name of ["ada", "bob", "eve"]) users.push(await at(0).user(name));
    for (const user of users)
      for (let index = 0; index < 4; index += 1)
        await user.client.createWorkspace({ body: { name: `${user.name}-${index}`, desired_state: "ARCHIVED" } });
    streams = apis.flatMap((api) =>
      users.flatMap((user) => [0, 1, 2].map(() => openStream(api, { cookie: user.cookie }, false))),
    );
    for (const stream of streams) await stream.until(() => stream.workspaces.size === 4);
  });
  afterAll(async () => {
    for (const stream of streams) stream.close();
    for (const api of apis) await api[Symbol.asyncDispose]();
    for (const bus of buses) await bus.close();
    await redis[Symbol.asyncDispose]();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const at = (index: number): TestApi => {
    const api = apis[index];
    if (api === undefined) throw new Error("no such process");
    return api;
  };

  /** How many changes the database has accepted. */
  let accepted = 0;
  /** Goes on whatever fails, like people do. */
  const changing = async (signal: AbortSignal): Promise<void> => {
    for (let round = 0; !signal.aborted; round += 1) {
      try {
        await at(0).sql.query(
          "UPDATE workspaces SET error_count = error_count + 1, name = split_part(name, ' ', 1) || ' ' || $1 WHERE id IN (SELECT id FROM workspaces ORDER BY random() LIMIT 3)",
          [round],
        );
        accepted += 1;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const someChanges = (): Promise<void> => {
    const enough = accepted + 20;
    return vi.waitUntil(() => accepted >= enough, { timeout: 60_000, interval: 10 }).then(() => undefined);
  };

  const truth = async (ownerId: string): Promise<string> => {
    const rows = await at(0).sql.query(
      "SELECT id, name, row_version::int AS version FROM workspaces WHERE owner_id = $1 ORDER BY id",
      [ownerId],
    );
    return JSON.stringify(rows.rows);
  };
  const held = (stream: EventStream): string =>
    JSON.stringify(
      [...stream.workspaces.values()]
        .map(({ id, name, version }) => ({ id, name, version }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    );

  const faults: [string, () => Promise<void>][] = [
    [
      "Redis is killed and started again",
      async () => {
        await redis.kill();
        await someChanges();
        await redis.start();
      },
    ],
    [
      "the listener's connection is cut",
      async () => {
        await at(0).sql.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'codehub listener'",
        );
      },
    ],
    [
      "PostgreSQL is killed and comes back",
      async () => {
        const before = postgres.pid;
        process.kill(before, "SIGKILL");
        await vi.waitUntil(() => postgres.pid !== before, { timeout: 60_000 });
      },
    ],
    [
      "Redis and the listener's connection go together",
      async () => {
        await redis.kill();
        await at(0).sql.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'codehub listener'",
        );
        await someChanges();
        await redis.start();
      },
    ],
  ];

  it.each(faults)("%s: every client ends equal to the database", { timeout: 120_000 }, async (_, fault) => {
    const stop = new AbortController();
    const changes = changing(stop.signal);
    await fault();
    await someChanges();
    stop.abort();
    await changes;
    for (const [index, stream] of streams.entries()) {
      const user = users[Math.floor(index / 3) % users.length];
      if (user === undefined) throw new Error("a stream without a user");
      await stream.until(async () => held(stream) === (await truth(user.id)));
    }
  });
});
