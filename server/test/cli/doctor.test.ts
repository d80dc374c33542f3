import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { lookAtDatabase } from "#adapters/postgres/look.ts";
import { judgeDatabase } from "#core/doctor/judge-database.ts";
import { freePort } from "#supervise/free-port.ts";
import { type RedisServer, redisAvailable, startRedis } from "../api/redis-server.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { mayActAsRoot } from "../root.ts";
import { codehub, codehubUnder, type Ended } from "./codehub.ts";

interface Told {
  readonly check: string;
  readonly level: string;
  readonly code: string;
  readonly found: string;
  readonly cure: string | null;
}

const read = ({ said }: Ended): { healthy: boolean; findings: Told[] } => JSON.parse(said);
/** What is not as it should be. */
const broken = (ended: Ended): string[] =>
  read(ended)
    .findings.filter(({ level }) => level === "broken")
    .map(({ check, code }) => `${check} ${code}`);

describe("codehub doctor", () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let dataDir: string;
  let well: Record<string, string>;
  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.url });
    admin.on("error", () => undefined);
    await admin.connect();
    dataDir = await mkdtemp(join(tmpdir(), "codehub-doctor-"));
    well = { DATABASE_URL: database.url, DATA_DIR: dataDir, RUNTIME: "process" };
  });
  afterAll(async () => {
    await admin.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const examine = (change: Readonly<Record<string, string>>): Promise<Ended> =>
    codehub({ ...well, ...change }, "doctor", "--json");
  const deploymentId = async (): Promise<string> =>
    (await admin.query("SELECT deployment_id FROM deployment")).rows[0]?.deployment_id;
  const changed = (change: Readonly<Record<string, string>>): string => {
    const url = new URL(database.url);
    for (const [part, value] of Object.entries(change)) url[part as "username"] = value;
    return url.href;
  };

  test("finds nothing broken where nothing is, says so in words, and leaves nothing behind", async () => {
    const { code, said } = await codehub(well, "doctor");
    expect(said).toMatch(/Nothing is broken\.\n$/);
    expect(code).toBe(0);
    expect(said.match(/^\S+ +\S+/gm)?.length).toBeGreaterThanOrEqual(12);
    expect(await codehub(well, "doctor", "--json").then(read)).toMatchObject({ healthy: true });
  });

  test.each<[string, Readonly<Record<string, string>>, string, RegExp, RegExp]>([
    ["a wrong variable", { PORT: "many" }, "configuration configuration_wrong", /PORT=many/, /Change the variable/],
    [
      "an engine that is not there",
      { RUNTIME: "docker", DOCKER_HOST: "unix:///nonexistent.sock" },
      "engine engine_no_socket",
      /no Docker engine at unix:\/\/\/nonexistent\.sock: connect ENOENT/,
      /systemctl start docker/,
    ],
    [
      "no wildcard in the DNS",
      {
        BASE_URL: "https://localhost",
        WORKSPACE_BASE_URL: "https://{id}.codehub-doctor.invalid",
        TRUSTED_PROXIES: "::2",
      },
      "dns dns_no_wildcard",
      /\*\.codehub-doctor\.invalid/,
      /wildcard DNS record/,
    ],
    [
      "workspaces left at localhost",
      { BASE_URL: "http://codehub.example.org" },
      "dns dns_forgotten",
      /workspaces are at localhost/,
      /Set WORKSPACE_BASE_URL/,
    ],
  ])("%s: named, with its cure", async (_name, change, expected, found, cure) => {
    const ended = await examine(change);
    expect(broken(ended)).toEqual([expected]);
    expect(ended.code).toBe(1);
    const finding = read(ended).findings.find(({ level }) => level === "broken");
    expect(finding?.found).toMatch(found);
    expect(finding?.cure).toMatch(cure);
  });

  test("a database that is down, one that does not let us in, and one that is not there", async () => {
    const closed = `postgres://codehub:x@127.0.0.1:${await freePort()}/codehub`;
    expect(broken(await examine({ DATABASE_URL: closed }))).toEqual(["database database_refused"]);
    const locked = await examine({ DATABASE_URL: changed({ password: "wrong" }) });
    expect(broken(locked)).toEqual(["database database_password"]);
    expect(locked.said).not.toContain("wrong");
    const missing = await examine({ DATABASE_URL: changed({ pathname: "/not_there" }) });
    expect(broken(missing)).toEqual(["database database_missing"]);
  });

  test("a login that cannot become our roles", async () => {
    const login = `plain_${database.name}`;
    await admin.query(`CREATE ROLE ${login} LOGIN PASSWORD 'x'`);
    try {
      const ended = await examine({ DATABASE_URL: changed({ username: login, password: "x" }) });
      expect(broken(ended)).toContain("roles roles_missing");
      const cure = read(ended).findings.find(({ check }) => check === "roles")?.cure;
      expect(cure).toContain(`GRANT codehub_api, codehub_coordinator TO ${login}`);
    } finally {
      await admin.query(`DROP OWNED BY ${login}; DROP ROLE ${login}`);
    }
  });

  test("a database that a newer release has used", async () => {
    await admin.query("INSERT INTO schema_migrations VALUES (999, 'from-the-future', 'x')");
    const ended = await examine({});
    await admin.query("DELETE FROM schema_migrations WHERE number = 999");
    expect(broken(ended)).toEqual(["database database_schema"]);
  });

  test("a clock that is ten minutes off", async () => {
    const { answer } = await lookAtDatabase(database.url, () => Date.now() + 600_000);
    const clocks = judgeDatabase({ kind: "answers", embedded: false, ...answer }).find(
      ({ check }) => check === "clocks",
    );
    expect(clocks).toMatchObject({ level: "broken", code: "clocks_database_behind" });
    expect(Math.abs(Number(clocks?.fields["apart_ms"]) - 600_000)).toBeLessThan(5_000);
  });

  test("a disk that is not mounted, somebody else's archives, and a file in their place", async () => {
    const place = await mkdtemp(join(tmpdir(), "codehub-doctor-store-"));
    try {
      await admin.query("UPDATE deployment SET store_id = 'the one we had'");
      expect(broken(await examine({ DATA_DIR: place }))).toEqual(["store store_empty"]);
      await openFilesystemStore({ directory: join(place, "archives"), deploymentId: await deploymentId() });
      expect(broken(await examine({ DATA_DIR: place }))).toEqual(["store store_other"]);
      await admin.query("UPDATE deployment SET store_id = NULL, deployment_id = gen_random_uuid()");
      expect(broken(await examine({ DATA_DIR: place }))).toEqual(["store store_of_others"]);
      await rm(join(place, "archives"), { recursive: true });
      await writeFile(join(place, "archives"), "");
      expect(broken(await examine({ DATA_DIR: place }))).toEqual(["store store_failed"]);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  });

  test("another engine than the one that has the homes", async () => {
    const place = await mkdtemp(join(tmpdir(), "codehub-doctor-engine-"));
    try {
      await writeFile(join(place, "engine-id"), "process-another\n");
      await admin.query("UPDATE deployment SET runtime_kind = 'process', engine_id = 'process-the-one-we-had'");
      expect(broken(await examine({ DATA_DIR: place }))).toEqual(["engine engine_other"]);
      await admin.query("UPDATE deployment SET runtime_kind = 'docker'");
      expect(broken(await examine({ DATA_DIR: place }))).toEqual(["engine engine_other_kind"]);
    } finally {
      await admin.query("UPDATE deployment SET runtime_kind = NULL, engine_id = NULL");
      await rm(place, { recursive: true, force: true });
    }
  });

  test("few descriptors", async () => {
    const around = ["bash", "-c", 'ulimit -n 256; exec "$@"', "-"];
    const ended = await codehubUnder(around, well, "doctor", "--json");
    expect(broken(ended)).toEqual(["descriptors descriptors_few"]);
    expect(read(ended).findings.find(({ level }) => level === "broken")?.cure).toMatch(/LimitNOFILE/);
  });

  test.runIf(mayActAsRoot("a disk of the test's own"))("a disk that is nearly full", async () => {
    const place = await mkdtemp(join(tmpdir(), "codehub-doctor-disk-"));
    await mkdir(join(place, "data"));
    const mounted = 'mount -t tmpfs -o size=16m doctor "$0" && exec "$@"';
    const around = ["unshare", "-m", "sh", "-c", mounted, place];
    const ended = await codehubUnder(around, { ...well, DATA_DIR: place }, "doctor", "--json");
    await rm(place, { recursive: true, force: true });
    expect(broken(ended)).toEqual(["disk disk_full"]);
  });

  describe.skipIf(!redisAvailable())("Redis", () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(async () => await redis[Symbol.asyncDispose]());

    test("answers; does not let us in; is down", async () => {
      expect(broken(await examine({ REDIS_URL: redis.url }))).toEqual([]);
      const locked = redis.url.replace("//", "//default:CANARY@");
      const refused = await examine({ REDIS_URL: locked.replace("default", "nobody") });
      expect(broken(refused)).toEqual(["redis redis_denied"]);
      expect(refused.said).not.toContain("CANARY");
      await redis.kill();
      expect(broken(await examine({ REDIS_URL: redis.url }))).toEqual(["redis redis_failed"]);
    });
  });
});
