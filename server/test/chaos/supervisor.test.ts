import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

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

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port: free } = probe.address() as net.AddressInfo;
  probe.close();
  return free;
}

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

async function childrenOf(parent: number | undefined): Promise<number[]> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8");
  return children.split(" ").filter(Boolean).map(Number);
}

const compiledFiles = async () => (await readdir(join(dataDir, "compiled"), { recursive: true })).length;

const postmaster = async () =>
  Number((await readFile(join(dataDir, "postgres/data/postmaster.pid"), "utf8")).split("\n")[0]);

describe("npm start", () => {
  test("starts a server that was killed again, with the database that is still there, and ends in order with it", async () => {
    const over = start();
    await ready();
    const [first = 0] = await childrenOf(supervisor.pid);
    const database = await postmaster();
    // What was compiled is on the disk before anybody can be killed, so that the next start is a quick one.
    await vi.waitUntil(async () => (await compiledFiles()) > 500, PATIENCE);
    process.kill(first, "SIGKILL");
    await vi.waitUntil(async () => !(await childrenOf(supervisor.pid)).includes(first), PATIENCE);
    await ready();
    const [second] = await childrenOf(supervisor.pid);
    expect(second).not.toBe(first);
    expect(await postmaster()).toBe(database);
    expect(said).toMatch(/The server was killed \(SIGKILL\).*started again in 1 s/);

    supervisor.kill("SIGTERM");
    expect(await over).toEqual([0, null]);
    expect(await inDataDir()).toEqual([]);
  });

  test("is noticed by the server when it is killed itself, and then nothing is left", async () => {
    void start();
    await ready();
    supervisor.kill("SIGKILL");
    await gone();
    expect(said).toContain("What started this program has ended: stopping.");
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
    expect(said).toContain("not restarted");
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
