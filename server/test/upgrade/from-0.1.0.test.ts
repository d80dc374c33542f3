import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Client, createClient, type Workspace } from "@codehub/contract";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createProcessRuntime } from "#adapters/process/runtime.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { readConfig } from "#config/config.ts";
import { type RunningApp, startApp } from "../../src/compose/app.ts";
import { describeTree } from "../data/fingerprint.ts";
import { apiAs } from "../e2e/accounts.ts";
import { endWorkspaces } from "../e2e/program.ts";
import { createUnmigratedDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { mayActAsRoot } from "../root.ts";
import { ask, runInside } from "../runtime/ask.ts";
import { directories } from "../runtime/process-harness.ts";
import { facts, homes, idOf, loadDatabase, unpackData, unpackProgram } from "./old-data.ts";

const SOON = { timeout: 50_000, interval: 100 };

/** What a row of 0.1.0 said before anything of today touched it. */
interface OldRow {
  readonly id: string;
  readonly phase: string;
  readonly operation: string;
  readonly op_id: string;
  readonly error_reason: string | null;
  readonly error_info: { readonly message: string } | null;
  readonly endpoint: { readonly address: { readonly kind: "unix"; readonly path: string } };
}

describe.runIf(mayActAsRoot("homes of 0.1.0, which belong to accounts of their own"))("a data set of 0.1.0", () => {
  let dataDir: string;
  let program: string;
  let database: TestDatabase;
  let admin: pg.Client;
  let processes: ChildProcess;
  let before: ReadonlyMap<string, OldRow>;
  let eventsBefore: readonly { readonly id: string; readonly workspace_id: string | null }[];
  let deploymentId: string;
  let supervisor: string;
  let ide: string;
  let jobEnded = false;
  let app: RunningApp;
  let anna: Client;
  let ben: Client;

  beforeAll(async () => {
    dataDir = await unpackData();
    program = await unpackProgram();
    database = await createUnmigratedDatabase();
    await loadDatabase(database.url, dataDir);
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const rows = (await admin.query<OldRow>("SELECT * FROM workspaces")).rows;
    before = new Map(rows.map((row) => [row.id, row]));
    eventsBefore = (await admin.query("SELECT * FROM workspace_events ORDER BY id DESC")).rows;
    await startOldProcesses();
    supervisor = await supervisorNow();
    ide = await ideNow();
    const config = readConfig(
      {
        PORT: "0",
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        LIMITS_MAX_RUNNING_PER_USER: "20",
        TTL_STANDBY_SECONDS: "0",
        TTL_ARCHIVE_SECONDS: "0",
      },
      { isRoot: true, homeDir: "/root" },
    );
    const command = ({ socket }: { socket: string }) => [join(dataDir, "node"), join(dataDir, "ide.mjs"), socket];
    app = await startApp(config, createLogger({ level: "error", destination: process.stderr }), { command });
    anna = createClient({ baseUrl: app.url, fetch, token: facts.annasToken });
    ben = await apiAs(app.url, facts.users.ben);
  });
  afterAll(async () => {
    await app?.stop();
    processes?.kill("SIGKILL");
    if (dataDir !== undefined) await endWorkspaces(dataDir);
    await admin?.end();
    await database?.drop();
    for (const folder of [dataDir, program]) await rm(folder, { recursive: true, force: true });
  });

  const row = (name: string): OldRow => {
    const found = before.get(idOf(name));
    if (found === undefined) throw new Error(`no row of "${name}"`);
    return found;
  };

  /** The one workspace whose process lived on, and the storage job of an operation that nobody leads any more. */
  const startOldProcesses = async () => {
    deploymentId = (await admin.query("SELECT deployment_id FROM deployment")).rows[0].deployment_id;
    const archiving = row("archiving");
    const job = { deploymentId, workspaceId: archiving.id, attempt: archiving.op_id };
    const args = [program, dataDir, JSON.stringify({ running: idOf("running"), job })];
    processes = spawn(process.execPath, [join(import.meta.dirname, "old-processes.ts"), ...args], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const [said] = await Promise.race([once(processes, "message"), once(processes, "exit")]);
    if (said !== "started") throw new Error(`0.1.0's processes could not be started (${said})`);
    processes.once("message", () => {
      jobEnded = true;
    });
  };
  const supervisorNow = () => readFile(join(dataDir, "run", idOf("running"), "started.json"), "utf8");
  const ideNow = async () => {
    const { address } = row("running").endpoint;
    await vi.waitFor(() => stat(address.path), SOON);
    // The shell's parent is the IDE itself.
    return (await runInside({ address }, "echo $PPID")).text;
  };

  const apiOf = (name: string): Client => (name.endsWith("of Ben") ? ben : anna);
  const workspace = (name: string): Promise<Workspace> => apiOf(name).getWorkspace({ params: { id: idOf(name) } });
  const reaches = (name: string, phase: string): Promise<void> =>
    expect
      .poll(async () => {
        const { phase, operation, error } = await workspace(name);
        return { name, phase, operation, error: error?.message ?? null };
      }, SOON)
      .toEqual({ name, phase, operation: "NONE", error: null });
  const wish = (name: string, desired_state: "RUNNING" | "STANDBY" | "ARCHIVED") =>
    apiOf(name).updateWorkspace({ params: { id: idOf(name) }, body: { desired_state } });
  /** The home as the database leads to it. */
  const homeOf = async (name: string): Promise<string> => {
    const { rows } = await admin.query("SELECT home_volume FROM workspaces WHERE id = $1", [idOf(name)]);
    return describeTree(join(dataDir, "volumes", rows[0].home_volume, "home"));
  };

  it("has a workspace in every phase and in the middle of operations", () => {
    const rows = [...before.values()];
    expect(new Set(rows.map(({ phase }) => phase))).toEqual(
      new Set(["PENDING", "ARCHIVED", "STANDBY", "RUNNING", "ERROR", "DELETING", "DELETED"]),
    );
    expect(new Set(rows.map(({ operation }) => operation))).toEqual(
      new Set(["NONE", "ARCHIVING", "RESTORING", "STARTING"]),
    );
  });

  it("lets people in with the passwords, tokens and sessions they had", async () => {
    const session = createClient({ baseUrl: app.url, fetch, headers: { origin: app.url, cookie: facts.annasCookie } });
    expect((await session.getSession()).user.username).toBe("anna");
    expect((await anna.listTokens()).items.map(({ name }) => name)).toEqual(["laptop"]);
    await expect(apiAs(app.url, { username: "carl", password: "the password of carl" })).rejects.toThrow();
    const root = await apiAs(app.url, facts.users.admin);
    const { items } = await root.listUsers();
    expect(items.map(({ username, role }) => `${username} ${role}`).toSorted()).toEqual([
      "anna user",
      "ben user",
      "carl user",
      "mina admin",
    ]);
  });

  it("takes over what a dead leader had begun, after its job has ended", async () => {
    await Promise.all([
      reaches("archiving", "ARCHIVED"),
      reaches("restoring", "RUNNING"),
      reaches("starting", "RUNNING"),
      reaches("deleting", "DELETED"),
    ]);
    await expect.poll(() => jobEnded, SOON).toBe(true);
    expect(await homeOf("restoring")).toBe(homes["restoring"]);
    expect(await homeOf("starting")).toBe(homes["starting"]);
  });

  it("starts again what a power cut ended", async () => {
    await reaches("ran before the power cut", "RUNNING");
    expect(await homeOf("ran before the power cut")).toBe(homes["ran before the power cut"]);
  });

  it.each(["standby", "standby again"])("leaves the home of '%s' where it lies", async (name) => {
    await reaches(name, "STANDBY");
    expect(await homeOf(name)).toBe(homes[name]);
  });

  it("leaves a running workspace alone, and can reach it, read its log and stop it", async () => {
    await reaches("running", "RUNNING");
    expect(await supervisorNow()).toBe(supervisor);
    expect(await ideNow()).toBe(ide);
    const { rows } = await admin.query("SELECT endpoint, home_volume FROM workspaces WHERE id = $1", [idOf("running")]);
    expect(rows[0].endpoint).toEqual(row("running").endpoint);
    expect(await homeOf("running")).toBe(homes["running"]);
    await ask(rows[0].endpoint, "/print", { lines: "3" });
    await expect
      .poll(async () => (await anna.getLogs({ params: { id: idOf("running") } })).lines, SOON)
      .toEqual(["line 1", "line 2", "line 3"]);
    // By the mark in its environment, which everything it starts inherits.
    const port = Number(await ask(rows[0].endpoint, "/listen", { host: "127.0.0.1" }));
    const runtime = await createProcessRuntime({ dataDir, deploymentId, volumes: directories(dataDir) });
    const [found] = await runtime.inspect(idOf("running"));
    expect(found).toMatchObject({ state: "running", address: rows[0].endpoint.address });
    expect(await runtime.portAddress(found?.id ?? "", port)).toMatchObject({ port });
    const daemon = await ask(rows[0].endpoint, "/daemon");
    await wish("running", "STANDBY");
    await reaches("running", "STANDBY");
    for (const pid of [ide.trim(), daemon]) await expect(stat(`/proc/${pid}/exe`)).rejects.toThrow(/ENOENT/);
    expect(await homeOf("running")).toBe(homes["running"]);
  });

  it("finds a home at its former path and at /home/coder from its next start on", async () => {
    await wish("running", "RUNNING");
    await reaches("running", "RUNNING");
    const { rows } = await admin.query("SELECT endpoint FROM workspaces WHERE id = $1", [idOf("running")]);
    const former = join(dataDir, "homes", idOf("running"));
    const { text } = await runInside(
      rows[0].endpoint,
      `whoami; echo ~; cd ${former} && pwd -P && ls -A | wc -l; ls -A ~ | wc -l`,
    );
    const [name, home, path, there, here] = text.trim().split("\n");
    expect({ name, home, path }).toEqual({ name: "coder", home: "/home/coder", path: "/home/coder" });
    expect(Number(there)).toBeGreaterThan(0);
    expect(here).toBe(there);
    await wish("running", "STANDBY");
    await reaches("running", "STANDBY");
    expect(await homeOf("running")).toBe(homes["running"]);
  });

  it.each(["archived", "archived by Docker", "archived of Ben", "archiving"])(
    "brings the home of '%s' back from its archive",
    async (name) => {
      await reaches(name, "ARCHIVED");
      await wish(name, "STANDBY");
      await reaches(name, "STANDBY");
      expect(await homeOf(name)).toBe(homes[name]);
    },
  );

  it.each(["in the trash", "deleting"])("takes '%s' out of the trash", async (name) => {
    await reaches(name, "DELETED");
    await anna.undeleteWorkspace({ params: { id: idOf(name) } });
    await reaches(name, "ARCHIVED");
    await wish(name, "STANDBY");
    await reaches(name, "STANDBY");
    expect(await homeOf(name)).toBe(homes[name]);
  });

  it("keeps what was deleted for good deleted", async () => {
    await expect(anna.undeleteWorkspace({ params: { id: idOf("purged") } })).rejects.toMatchObject({
      code: "DELETED_FOR_GOOD",
    });
  });

  it.each(["archived empty", "pending"])("gives '%s' an empty home", async (name) => {
    await wish(name, "STANDBY");
    await reaches(name, "STANDBY");
    expect(await homeOf(name)).toMatch(/^"" 040700 .*\n/);
  });

  it.each(["DataLost", "ArchiveCorrupted", "ArchiveAccessError", "RetryExceeded"])(
    "leaves a workspace in ERROR with %s",
    async (reason) => {
      const old = row(`error ${reason}`);
      const { phase, error } = await workspace(`error ${reason}`);
      expect([phase, error?.reason, error?.message]).toEqual(["ERROR", reason, old.error_info?.message]);
    },
  );

  it("recovers a workspace whose cause of trouble is gone", async () => {
    const name = "error RetryExceeded";
    await anna.recoverWorkspace({ params: { id: idOf(name) }, body: {} });
    await reaches(name, "RUNNING");
    expect(await homeOf(name)).toBe(homes[name]);
  });

  it("shows the history that was written", async () => {
    const ids = new Set(eventsBefore.map(({ id }) => id));
    for (const name of Object.keys(facts.workspaces)) {
      const { items } = await apiOf(name).listHistory({ params: { id: idOf(name) }, query: { limit: 500 } });
      const then = items.filter(({ id }) => ids.has(id));
      const expected = eventsBefore.filter((event) => event.workspace_id === idOf(name));
      expect(then.length).toBeGreaterThan(0);
      expect(then).toMatchObject(
        JSON.parse(
          JSON.stringify(expected, [
            "id",
            "at",
            "kind",
            "workspace_id",
            "summary",
            "from_phase",
            "to_phase",
            "operation",
          ]),
        ),
      );
    }
  });
});
