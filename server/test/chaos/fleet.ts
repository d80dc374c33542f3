import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, copyFile, mkdtemp, open, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createPool } from "#adapters/postgres/connection.ts";
import { migrate } from "#adapters/postgres/migrate.ts";
import { API_ROLE } from "#adapters/postgres/roles.ts";
import { PostgresAccountStore } from "#adapters/postgres/stores/account-store.ts";
import { PostgresRequestStore } from "#adapters/postgres/stores/request-store.ts";
import { requestLevel } from "#core/requests/requests.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { runInside } from "../runtime/ask.ts";

const LIMITS = { maxRunningPerUser: 100, maxRunningGlobal: 100 };

/** Coordinators as real processes on a real database and real workspace processes, and a person who uses them. */
export class Fleet {
  readonly url: string;
  readonly dataDir: string;
  readonly requestStore: PostgresRequestStore;
  readonly #pool: pg.Pool;
  readonly #ownerId: string;
  readonly #children = new Map<number, ChildProcess>();

  static async start(url: string): Promise<Fleet> {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), "chaos-"));
    await chmod(dataDir, 0o711);
    const program = path.join(dataDir, "fake-ide.mjs");
    await copyFile(new URL("../runtime/fake-ide.mjs", import.meta.url), program);
    await chmod(program, 0o644);
    await migrate(url);
    const pool = createPool({ url, role: API_ROLE, max: 8, applicationName: "chaos user" });
    const accounts = new PostgresAccountStore(pool);
    const account = {
      id: randomUUID(),
      username: "chaos",
      passwordHash: "-",
      role: "user",
      mustChangePassword: false,
    } as const;
    await accounts.create(account, { kind: "system", userId: null, address: null });
    return new Fleet(url, dataDir, pool, account.id);
  }

  private constructor(url: string, dataDir: string, pool: pg.Pool, ownerId: string) {
    this.url = url;
    this.dataDir = dataDir;
    this.requestStore = new PostgresRequestStore(pool);
    this.#pool = pool;
    this.#ownerId = ownerId;
  }

  /** Starts one more coordinator; `prefix` runs it elsewhere, for example in a network namespace. */
  async addCoordinator(prefix: readonly string[] = [], url: string = this.url): Promise<number> {
    const program = path.join(import.meta.dirname, "coordinator-main.ts");
    const [command = "", ...args] = [...prefix, process.execPath, program];
    const log = await open(path.join(this.dataDir, "coordinators.log"), "a");
    const child = spawn(command, args, {
      env: { PATH: process.env["PATH"], DATABASE_URL: url, DATA_DIR: this.dataDir, STOP_GRACE_SECONDS: "1" },
      stdio: ["ignore", log.fd, log.fd],
    });
    await log.close();
    if (child.pid === undefined) throw new Error("the coordinator did not start");
    this.#children.set(child.pid, child);
    return child.pid;
  }

  async kill(pid: number): Promise<void> {
    const child = this.#children.get(pid);
    if (child === undefined) return;
    this.#children.delete(pid);
    // One that has ended by itself is a bug of ours, and waiting for its end would last for ever.
    if (child.exitCode !== null) throw new Error(`a coordinator ended with ${child.exitCode}\n${await this.log()}`);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  signal(pid: number, signal: NodeJS.Signals): void {
    this.#children.get(pid)?.kill(signal);
  }

  get pids(): readonly number[] {
    return [...this.#children.keys()];
  }

  /** Who holds the newest epoch, by process number. */
  async leader(): Promise<{ pid: number; epoch: number }> {
    const { rows } = await this.#pool.query("SELECT epoch, holder FROM leader");
    return {
      epoch: Number(rows[0].epoch),
      pid: Number(
        String(rows[0].holder ?? "")
          .split(" ")
          .at(-1),
      ),
    };
  }

  /** Resolves with the milliseconds until a higher epoch than this was minted. */
  async nextLeader(epoch: number): Promise<number> {
    const begun = performance.now();
    await this.until("a new leader", async () => (await this.leader()).epoch > epoch);
    return performance.now() - begun;
  }

  async create(name: string): Promise<string> {
    const draft = {
      id: randomUUID(),
      ownerId: this.#ownerId,
      name,
      description: null,
      memo: null,
      imageRef: "codehub/workspace:latest",
      standbyTtlSeconds: 0,
      archiveTtlSeconds: 0,
      desiredState: "RUNNING",
    } as const;
    await this.requestStore.create(draft, () => ({ refuse: null, events: [] }));
    return draft.id;
  }

  async wish(id: string, level: "RUNNING" | "STANDBY" | "ARCHIVED"): Promise<void> {
    await this.requestStore.change(id, { countSlots: true }, (facts) => requestLevel(facts, level, LIMITS, "chaos"));
  }

  async row(id: string): Promise<Workspace> {
    const row = await this.requestStore.read(id);
    if (row === null) throw new Error(`no workspace ${id}`);
    return row;
  }

  /** Runs a command inside the running workspace, the way its owner would; null when it cannot be reached now. */
  async inside(id: string, command: string): Promise<string | null> {
    const row = await this.row(id);
    if (row.phase !== "RUNNING" || row.operation !== "NONE" || row.endpoint === null) return null;
    try {
      const answer = await runInside(row.endpoint, command);
      return answer.code === 0 ? answer.text.trim() : null;
    } catch {
      return null;
    }
  }

  /** Polls the world from outside, as a person would; the events inside are what is being tested. */
  async until(what: string, holds: () => Promise<boolean>, limitMs = 90_000): Promise<void> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      if (await holds().catch(() => false)) return;
      if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1000} s\n${await this.log()}`);
      await delay(100);
    }
  }

  async log(): Promise<string> {
    const text = await readFile(path.join(this.dataDir, "coordinators.log"), "utf8").catch(() => "");
    return text.split("\n").slice(-60).join("\n");
  }

  /** Whether some coordinator has said this; lines are JSON, and all of the given fields must be in one. */
  async hasSaid(fields: Readonly<Record<string, unknown>>): Promise<boolean> {
    const text = await readFile(path.join(this.dataDir, "coordinators.log"), "utf8");
    const lines = text.split("\n").filter((line) => line.startsWith("{"));
    return lines.some((line) => {
      const said: Record<string, unknown> = JSON.parse(line);
      return Object.entries(fields).every(([name, value]) => said[name] === value);
    });
  }

  async query(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    client.on("error", () => {});
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    for (const pid of this.pids) await this.kill(pid);
    await endWorkspaces(this.dataDir);
    await this.#pool.end();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** Workspaces outlive their coordinators by design; a test ends those of its own directory. */
async function endWorkspaces(dataDir: string): Promise<void> {
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const command = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    if (command.includes(dataDir) && Number(entry) !== process.pid) {
      try {
        process.kill(Number(entry), "SIGKILL");
      } catch {}
    }
  }
}
