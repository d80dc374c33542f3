import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { freePort } from "#supervise/free-port.ts";
import { programsOf } from "../e2e/program.ts";

const SUPERVISOR = resolve(import.meta.dirname, "../../src/supervise/main.ts");
const PATIENCE = { timeout: 120_000, interval: 100 };

let dataDir: string;
let port: number;
let supervisor: ChildProcess;
let said: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "codehub-supervisor-"));
  await chmod(dataDir, 0o711);
  port = await freePort();
});
beforeEach(() => {
  said = "";
});
afterEach(async () => {
  // By whatever way a test ended: nothing that works in its directory may be left.
  supervisor.kill("SIGKILL");
  for (const pid of await inDataDir()) process.kill(pid, "SIGKILL");
});
afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));

function start(environment: Readonly<Record<string, string>> = {}): Promise<unknown[]> {
  supervisor = spawn(process.execPath, [SUPERVISOR], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: dataDir,
      PORT: String(port),
      DATA_DIR: dataDir,
      RUNTIME: "process",
      NODE_COMPILE_CACHE: join(dataDir, "compiled"),
      ...environment,
    },
  });
  for (const output of [supervisor.stdout, supervisor.stderr])
    output?.on("data", (chunk: Buffer) => {
      said += chunk;
    });
  return once(supervisor, "exit");
}

const answers = async (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
const ready = () => vi.waitUntil(answers, PATIENCE);
const gone = () => vi.waitUntil(async () => (await inDataDir()).length === 0, PATIENCE);

/** Server, PostgreSQL and whatever they started: all that was given this test's data directory. */
async function inDataDir(): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number)) {
    if (pid === supervisor.pid) continue;
    const texts = await Promise.all(
      ["cmdline", "environ"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
    );
    if (texts.some((text) => text.includes(dataDir))) found.push(pid);
  }
  return found;
}

const compiledFiles = async () => (await readdir(join(dataDir, "compiled"), { recursive: true })).length;

const postmaster = async () =>
  Number((await readFile(join(dataDir, "postgres/data/postmaster.pid"), "utf8")).split("\n")[0]);

/** The program with this role, once there is one that is not the given one. */
async function programWith(role: string, not = 0): Promise<number> {
  let found: number | undefined;
  await vi.waitUntil(async () => {
    const programs = await programsOf(supervisor.pid);
    found = programs.find(({ pid, roles }) => roles.includes(role) && pid !== not)?.pid;
    return found !== undefined;
  }, PATIENCE);
  return found ?? 0;
}

describe("npm start", () => {
  test("starts a server that was killed again behind a proxy that goes on, with the database that is still there", async () => {
    const over = start();
    await ready();
    const [proxy, server, database] = [await programWith("proxy"), await programWith("api"), await postmaster()];
    // What was compiled is on the disk before anybody can be killed, so that the next start is a quick one.
    await vi.waitUntil(async () => (await compiledFiles()) > 500, PATIENCE);
    process.kill(server, "SIGKILL");
    const away = await vi.waitUntil(async () => {
      const answer = await fetch(`http://localhost:${port}/`);
      return answer.status === 503 && answer;
    }, PATIENCE);
    expect(await away.json()).toMatchObject({ error: { code: "SERVER_RESTARTING" } });
    await ready();
    expect(await programWith("api", server)).not.toBe(server);
    expect([await programWith("proxy"), await postmaster()]).toEqual([proxy, database]);
    expect(said).toMatch(/The server was killed \(SIGKILL\).*started again at once/);
    expect(said).toContain("The server is ready again.");

    supervisor.kill("SIGTERM");
    expect(await over).toEqual([0, null]);
    expect(await inDataDir()).toEqual([]);
  });

  test("starts a proxy that was killed again, and the server and the database go on", async () => {
    void start();
    await ready();
    const [proxy, server, database] = [await programWith("proxy"), await programWith("api"), await postmaster()];
    process.kill(proxy, "SIGKILL");
    expect(await programWith("proxy", proxy)).not.toBe(proxy);
    await ready();
    expect([await programWith("api"), await postmaster()]).toEqual([server, database]);
    expect(said).toMatch(/The proxy was killed \(SIGKILL\).*started again at once/);
  });

  test("starts a database that was killed again", async () => {
    void start();
    await ready();
    const database = await postmaster();
    process.kill(database, "SIGKILL");
    await vi.waitUntil(async () => (await postmaster().catch(() => database)) !== database, PATIENCE);
    await ready();
    expect(said).toContain("The embedded PostgreSQL has ended: starting it again.");
  });

  test("stops the server in order and starts it anew when it is told to by SIGUSR2", async () => {
    const over = start();
    await ready();
    const [proxy, server, database] = [await programWith("proxy"), await programWith("api"), await postmaster()];
    // Told twice it is done once: nothing is ended in the middle of its stop.
    for (let told = 0; told < 20; told += 1) supervisor.kill("SIGUSR2");
    expect(await programWith("api", server)).not.toBe(server);
    await ready();
    expect([await programWith("proxy"), await postmaster()]).toEqual([proxy, database]);
    expect(said.match(/SIGUSR2: the server is stopped and started anew\./g)).toHaveLength(1);
    expect(said).not.toMatch(/killed|SIGTERM/);

    supervisor.kill("SIGUSR2");
    await vi.waitUntil(() => said.match(/SIGUSR2/g)?.length === 2, PATIENCE);
    supervisor.kill("SIGTERM");
    expect(await over).toEqual([0, null]);
    expect(await inDataDir()).toEqual([]);
  });

  test("is noticed by its programs when it is killed itself, and then nothing is left, not even the database", async () => {
    void start();
    await ready();
    supervisor.kill("SIGKILL");
    await gone();
    expect(said.match(/What started this program has ended: stopping\./g)).toHaveLength(2);
  });

  test("ends in order when it is told so while everything still starts", async () => {
    const over = start();
    await vi.waitUntil(() => said.includes("Starting CodeHub"), PATIENCE);
    supervisor.kill("SIGINT");
    expect(await over).toEqual([0, null]);
    expect(await inDataDir()).toEqual([]);
  });

  test("says once what is wrong with the configuration, or who is in its place, and does not try again", async () => {
    expect(await start({ PORT: "many" })).toEqual([78, null]);
    expect(said.match(/PORT=many is not allowed/g)).toHaveLength(1);
    said = "";

    const other = net.createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    try {
      expect(await start()).toEqual([69, null]);
      expect(said.match(/Something else listens there/g)).toHaveLength(1);
      expect(await inDataDir()).toEqual([]);
    } finally {
      other.close();
    }
  });
});
