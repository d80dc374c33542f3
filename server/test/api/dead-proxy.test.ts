import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RedisActivityBuffer } from "#adapters/redis/activity.ts";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { DatabaseClock } from "#coordinator/database-clock.ts";
import { DECISIONS } from "#coordinator/deps.ts";
import type { TermContext } from "#coordinator/term.ts";
import { ttlRunner } from "#coordinator/ttl.ts";
import type { ActivitySource } from "#ports/activity.ts";
import type { LeaderStore } from "#ports/store.ts";
import { DEFAULT_SETTINGS } from "../fixtures/settings.ts";
import { openPostgres, type PostgresFixture } from "../postgres/postgres-fixture.ts";
import { type RedisServer, redisAvailable, startRedis } from "./redis-server.ts";

const TTL_MS = 1_000;
const SETTINGS = {
  ...DEFAULT_SETTINGS,
  ttl: { standbyTtlSeconds: TTL_MS / 1_000, archiveTtlSeconds: 0 },
  activitySilenceMs: 300,
};

describe.skipIf(!redisAvailable())("a proxy that is killed, with a real Redis and a real database", () => {
  let redis: RedisServer;
  let postgres: PostgresFixture;
  let leader: LeaderStore;
  let activity: RedisActivityBuffer;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), openPostgres()]);
    leader = await postgres.lead();
    activity = new RedisActivityBuffer({ url: redis.url, onError: () => undefined });
    await activity.ready();
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await activity.close();
    await postgres.close();
    await redis[Symbol.asyncDispose]();
  });

  /** A workspace that runs, as the coordinator would have left it. */
  const running = async (): Promise<string> => {
    const id = randomUUID();
    const draft = {
      description: null,
      memo: null,
      imageRef: "image",
      standbyTtlSeconds: null,
      archiveTtlSeconds: null,
    };
    const owner = await postgres.owner();
    await postgres.requestStore.create({ id, ownerId: owner, name: "home", desiredState: "RUNNING", ...draft }, () => ({
      refuse: null,
      events: [],
    }));
    await leader.mutate(id, ({ now }) => ({ patch: { phase: "RUNNING", phaseChangedAt: now } }));
    return id;
  };

  const startProxy = async (source: string, workspaceId: string): Promise<ChildProcess> => {
    const program = path.join(import.meta.dirname, "proxy-process.ts");
    const child = spawn(process.execPath, [program, redis.url, source, workspaceId], { stdio: "inherit" });
    children.push(child);
    while (!(await activity.sources()).some((one) => one.source === source)) await clock.sleep(10);
    return child;
  };

  const kill = async (child: ChildProcess): Promise<void> => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };

  const ticker = (): (() => Promise<void>) => {
    const databaseClock = new DatabaseClock(clock);
    databaseClock.saw(clock.nowMs());
    const logger = createLogger({ level: "error", destination: process.stderr });
    const deps = { clock, requestStore: postgres.requestStore, activity, decisions: DECISIONS, settings: SETTINGS };
    const signal = new AbortController().signal;
    return ttlRunner({ deps, databaseClock, logger, signal } as unknown as TermContext);
  };
  const requestedLevel = async (id: string): Promise<string | undefined> =>
    (await postgres.requestStore.read(id))?.desiredState;
  const fellAt = async (id: string): Promise<number> => {
    const sql = "SELECT at FROM workspace_events WHERE workspace_id = $1 AND kind = 'idle'";
    return (await postgres.admin.query<{ at: Date }>(sql, [id])).rows[0]?.at.getTime() ?? 0;
  };

  it("is waited for, then forgotten, and a late word of it counts", async () => {
    const id = await running();
    const alive = randomUUID();
    const proxy = await startProxy("dies", id);
    await kill(proxy);
    const [dead] = await activity.sources();
    const tick = ticker();
    let sources: readonly ActivitySource[] = [];
    do {
      await activity.record(alive, clock.nowMs(), []);
      await tick();
      await clock.sleep(20);
      sources = await activity.sources();
    } while (sources.length > 1);
    // It was waited for: what it may have seen after its last word got its whole time.
    expect(sources.map(({ source }) => source)).toEqual([alive]);
    expect(await requestedLevel(id)).toBe("STANDBY");
    expect((await fellAt(id)) - (dead?.flushedAt ?? 0)).toBeGreaterThanOrEqual(TTL_MS);

    const late = clock.nowMs();
    await activity.record("dies", late, [{ workspaceId: id, at: late }]);
    await tick();
    expect((await postgres.requestStore.read(id))?.lastAccessAt).toBe(late);
    expect((await activity.sources()).map(({ source }) => source)).toContain("dies");
  });
});
