import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reachableNode } from "#adapters/process/ide-install.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { readConfig } from "#config/config.ts";
import { type RunningApp, startApp } from "../../src/compose/app.ts";
import { apiAs } from "../e2e/accounts.ts";
import { endWorkspaces } from "../e2e/program.ts";
import { createUnmigratedDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { mayActAsRoot } from "../root.ts";
import { runInside } from "../runtime/ask.ts";
import { freeze } from "../suites/freeze.ts";
import { OldApi } from "./generate/old-api.ts";
import { unpackServer } from "./old-data.ts";

const PROGRAM = join(import.meta.dirname, "generate/old-program.ts");
const FAKE_IDE = resolve(import.meta.dirname, "../runtime/fake-ide.mjs");
const ADMIN = { username: "mina", password: "a long enough sentence" };
const SOON = { timeout: 50_000, interval: 100 };

/** From 0.1.0 it is stop, upgrade, start. What happens to whoever forgets the first: a real server of 0.1.0, of which nobody took care. */
describe.runIf(mayActAsRoot("workspaces of 0.1.0"))("a process of 0.1.0 that still runs", () => {
  let checkout: string;
  let dataDir: string;
  let database: TestDatabase;
  let sql: pg.Pool;
  let old: ChildProcess;
  let oldApi: OldApi;
  let app: RunningApp | null = null;
  let id: string;
  let written: string;

  const environment = (): Record<string, string> => ({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    RUNTIME: "process",
    ADMIN_USERNAME: ADMIN.username,
    ADMIN_PASSWORD: ADMIN.password,
    TTL_STANDBY_SECONDS: "0",
    TTL_ARCHIVE_SECONDS: "0",
  });
  const env = () => ({ PATH: process.env["PATH"], ...environment() });
  beforeAll(async () => {
    checkout = await unpackServer();
    dataDir = await mkdtemp(join(tmpdir(), "ch-"));
    await chmod(dataDir, 0o711);
    await copyFile(FAKE_IDE, join(dataDir, "ide.mjs"));
    await symlink(await reachableNode(dataDir), join(dataDir, "node"));
    database = await createUnmigratedDatabase();
    sql = new pg.Pool({ connectionString: database.url, max: 2 });
    old = spawn(process.execPath, [PROGRAM, checkout], { env: env(), stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const [url] = await Promise.race([once(old, "message"), once(old, "exit")]);
    ({ api: oldApi } = await OldApi.login(String(url), ADMIN));
    ({ id } = await oldApi.create("old", "RUNNING"));
    await oldApi.reaches(id, "RUNNING");
    written = await inside("date +%N > ~/written; cat ~/written");
  });
  afterAll(async () => {
    await app?.stop();
    old?.kill("SIGKILL");
    if (dataDir !== undefined) await endWorkspaces(dataDir);
    await sql?.end();
    await database?.drop();
    for (const folder of [dataDir, checkout]) await rm(folder ?? "", { recursive: true, force: true });
  });

  const inside = async (command: string): Promise<string> => {
    const { rows } = await sql.query("SELECT endpoint FROM workspaces WHERE id = $1", [id]);
    return (await runInside(rows[0].endpoint, command)).text;
  };
  const schema = async (): Promise<number> =>
    (await sql.query("SELECT max(number) AS number FROM schema_migrations")).rows[0].number;
  const leader = async () => (await sql.query("SELECT epoch, holder FROM leader")).rows[0];
  const startNew = (): Promise<RunningApp> => {
    const command = ({ socket }: { socket: string }) => [join(dataDir, "node"), join(dataDir, "ide.mjs"), socket];
    const config = readConfig(environment(), { isRoot: true, homeDir: "/root" });
    return startApp(config, createLogger({ level: "error", destination: process.stderr }), { command });
  };

  it("is noticed: the new release changes nothing, says what to stop, and the old one goes on", async () => {
    await expect(startNew()).rejects.toThrow(/knows schemas up to 6.*Stop every other CodeHub/s);
    expect(await schema()).toBe(6);
    await oldApi.wish(id, "STANDBY");
    await oldApi.reaches(id, "STANDBY");
    await oldApi.wish(id, "RUNNING");
    await oldApi.reaches(id, "RUNNING");
    expect(await inside("cat ~/written")).toBe(written);
  });

  it("that nobody saw, because it was frozen and cut off, does no harm when it goes on", async () => {
    freeze(old.pid);
    await sql.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'codehub%'");
    app = await startNew();
    expect(await schema()).toBeGreaterThan(6);
    const api = await apiAs(app.url, ADMIN);
    const reaches = (phase: string) =>
      expect
        .poll(async () => {
          const { phase: now, operation, error } = await api.getWorkspace({ params: { id } });
          return { now, operation, error };
        }, SOON)
        .toEqual({ now: phase, operation: "NONE", error: null });
    await reaches("RUNNING");
    const before = await leader();
    const ide = await inside("echo $PPID");
    old.kill("SIGCONT");
    // It has found the database again when it answers with what is in it.
    await expect.poll(() => oldApi.call("GET", `/workspaces/${id}`).catch(() => null), SOON).not.toBeNull();
    // People who still have its dashboard open are heard, and the one that leads does it.
    await oldApi.wish(id, "STANDBY");
    await reaches("STANDBY");
    await oldApi.wish(id, "RUNNING");
    await reaches("RUNNING");
    await api.updateWorkspace({ params: { id }, body: { desired_state: "ARCHIVED" } });
    await reaches("ARCHIVED");
    await api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
    await reaches("RUNNING");
    expect(await inside("cat ~/written")).toBe(written);
    expect(await inside("echo $PPID")).not.toBe(ide);
    expect(await leader()).toEqual(before);
  });

  it("refuses in words when it is started again, and the new release goes on", async () => {
    const gone = once(old, "exit");
    old.kill("SIGKILL");
    await gone;
    const before = await leader();
    const again = spawn(process.execPath, [join(checkout, "server/src/main.ts")], {
      env: env(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    again.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const [code] = await once(again, "close");
    expect([code, said]).toEqual([
      1,
      expect.stringMatching(/A newer CodeHub has used this database.*Nothing was changed/s),
    ]);
    expect(await leader()).toEqual(before);
    expect(await inside("cat ~/written")).toBe(written);
  });
});
