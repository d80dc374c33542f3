import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Workspace } from "@codehub/contract";
import pg from "pg";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { freePort } from "#supervise/free-port.ts";
import { type RedisServer, startRedis } from "../../test/api/redis-server.ts";
import { describeTree } from "../../test/data/fingerprint.ts";
import { freshBucket, startS3Server } from "../../test/data/s3-server.ts";
import { admin, build, endWorkspaces, placeIde } from "../../test/e2e/program.ts";
import { startNginx } from "../../test/replicas/front.ts";
import { Person } from "../../test/replicas/people.ts";
import { behind, Replica } from "../../test/replicas/replica.ts";
import { People } from "./people.ts";

const REPLICAS = 3;
const PATIENCE_MS = 120_000;
/** So large that something can happen in the middle of its archive. */
const HOME_BYTES = 240 * 2 ** 20;

export type Level = "RUNNING" | "STANDBY" | "ARCHIVED";

/** A home and everything that can be told of it. */
export interface Home {
  readonly id: string;
  readonly tree: string;
}

interface Parts {
  readonly directory: string;
  readonly postgres: EmbeddedPostgres;
  readonly redis: RedisServer;
  readonly replicas: readonly Replica[];
  readonly person: Person;
  readonly ide: Workspace;
  readonly renamed: Workspace;
}

/** Three replicas behind the real nginx, with a PostgreSQL, a Redis and an S3 server of their own, and people who use them. */
export class DrillStage implements AsyncDisposable {
  readonly redis: RedisServer;
  readonly replicas: readonly Replica[];
  readonly #parts: Parts;
  readonly #cleanUp: AsyncDisposableStack;

  static async open(tell: (line: string) => void): Promise<DrillStage> {
    build();
    await using stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "codehub-drill-"));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    await chmod(directory, 0o711);
    await placeIde(directory);
    tell("PostgreSQL, Redis, an S3 server and nginx are started");
    const place = join(directory, "database");
    await mkdir(place, { mode: 0o711 });
    const postgres = stack.adopt(await EmbeddedPostgres.start({ dir: place, fallbackDir: place }), (one) => one.stop());
    const redis = stack.use(await startRedis());
    const s3 = stack.use(await startS3Server());
    const { bucket } = await freshBucket(s3.access, "");
    const ports = await Promise.all(Array.from({ length: REPLICAS }, () => freePort()));
    const front = stack.use(await startNginx(ports));
    stack.defer(() => endWorkspaces(directory));
    const replicas = ports.map(
      (port) =>
        new Replica({
          ...behind(front, directory, postgres.url),
          PORT: String(port),
          REDIS_URL: redis.url,
          S3_ENDPOINT: s3.access.endpoint,
          S3_BUCKET: bucket,
          S3_REGION: "us-east-1",
          S3_FORCE_PATH_STYLE: "true",
          S3_ACCESS_KEY_ID: s3.access.accessKeyId,
          S3_SECRET_ACCESS_KEY: s3.access.secretAccessKey,
        }),
    );
    for (const replica of replicas) stack.defer(async () => void (await replica.stop()));
    tell(`${REPLICAS} replicas are started, each a proxy and a server`);
    for (const replica of replicas) await replica.start();
    const person = await Person.signIn(front, admin);
    const ide = await person.start("at work");
    const renamed = await person.api<Workspace>("POST", "/workspaces", { name: "renamed", desired_state: "ARCHIVED" });
    const parts = { directory, postgres, redis, replicas, person, ide, renamed };
    return new DrillStage(parts, stack.move());
  }

  private constructor(parts: Parts, cleanUp: AsyncDisposableStack) {
    this.redis = parts.redis;
    this.replicas = parts.replicas;
    this.#parts = parts;
    this.#cleanUp = cleanUp;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanUp.disposeAsync();
  }

  sendPeople(): People {
    const { person, ide, renamed } = this.#parts;
    return new People(person, ide, renamed);
  }

  /** A home on its volume, with content that does not compress. */
  async makeHome(name: string): Promise<Home> {
    const { id } = await this.#parts.person.api<Workspace>("POST", "/workspaces", { name, desired_state: "STANDBY" });
    await this.#reaches(id, "STANDBY");
    const folder = await this.#folder(id);
    for (let file = 0; file < 12; file += 1)
      await writeFile(join(folder, `file ${file}`), randomBytes(HOME_BYTES / 12));
    return { id, tree: describeTree(folder) };
  }

  /** Asks for an archive, lets it happen in the middle of it, and sees the home come back as it was. */
  async archiveThrough({ id, tree }: Home, happening: () => Promise<readonly string[]>): Promise<readonly string[]> {
    await this.#wish(id, "ARCHIVED");
    await this.until("an archive is being made", async () => (await this.#row(id)).operation === "ARCHIVING");
    await this.until("its first bytes are packed", () => this.#isPacking(id));
    const saw = await happening();
    await this.#reaches(id, "ARCHIVED");
    await this.#wish(id, "STANDBY");
    await this.#reaches(id, "STANDBY");
    const now = describeTree(await this.#folder(id));
    if (now !== tree) throw new Error(`the home of ${id} is not what it was`);
    return saw;
  }

  /** Whose term it is, and the process that leads. */
  async leader(): Promise<{ readonly epoch: number; readonly pid: number }> {
    const [row] = await this.#query("SELECT epoch, holder FROM leader");
    return {
      epoch: Number(row?.["epoch"]),
      pid: Number(
        String(row?.["holder"] ?? "")
          .split(" ")
          .at(-1),
      ),
    };
  }

  /** Seconds until another leads. */
  async nextLeader(before: number): Promise<number> {
    const begun = performance.now();
    await this.until("another leader", async () => (await this.leader()).epoch > before);
    return (performance.now() - begun) / 1_000;
  }

  /** PostgreSQL as if its machine had lost power. Who watches over it starts it again. */
  async killDatabase(): Promise<number> {
    const [row] = await this.#query("SHOW data_directory");
    const file = await readFile(join(String(row?.["data_directory"]), "postmaster.pid"), "utf8");
    const begun = performance.now();
    process.kill(Number(file.split("\n")[0]), "SIGKILL");
    await this.until("the database", async () => (await this.#query("SELECT 1")).length === 1);
    return (performance.now() - begun) / 1_000;
  }

  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await delay(50)) {
      if (await holds().catch(() => false)) return;
    }
    throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} s`);
  }

  async #wish(id: string, level: Level): Promise<void> {
    // A person whose click is lost clicks again.
    await this.until(`${level} is asked for`, async () => {
      await this.#parts.person.api("PATCH", `/workspaces/${id}`, { desired_state: level });
      return true;
    });
  }

  async #reaches(id: string, level: Level): Promise<void> {
    await this.until(`${id} is ${level}`, async () => {
      const { phase, operation } = await this.#row(id);
      if (phase === "ERROR") throw new Error(`${id} is in ERROR`);
      return phase === level && operation === "NONE";
    });
  }

  async #isPacking(id: string): Promise<boolean> {
    return (await this.#query(`SELECT 1 FROM progress WHERE workspace_id = '${id}' AND done_bytes > 0`)).length > 0;
  }

  #row(id: string): Promise<Workspace> {
    return this.#parts.person.api<Workspace>("GET", `/workspaces/${id}`);
  }

  async #folder(id: string): Promise<string> {
    const [row] = await this.#query(`SELECT home_volume FROM workspaces WHERE id = '${id}'`);
    return join(this.#parts.directory, "volumes", String(row?.["home_volume"]), "home");
  }

  async #query(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.#parts.postgres.url });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }
}
