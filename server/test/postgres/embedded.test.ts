import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Account, chooseAccount } from "#adapters/postgres/embedded/account.ts";
import { locatePackage, provideBinaries } from "#adapters/postgres/embedded/binaries.ts";
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { isPostmasterOf } from "#adapters/postgres/embedded/postmaster.ts";
import { mayActAsRoot } from "../root.ts";

const CLONE = resolve(import.meta.dirname, "../../..");
const NOBODY = 65_534;
const PROGRAM = join(import.meta.dirname, "embedded-program.ts");
/** A user that every system's list has. */
const DAEMON = 1;
const isRoot = mayActAsRoot("PostgreSQL under other accounts");

/** Where this clone and its node are seen by accounts that may not look where the clone lies, such as /root. */
let clone = CLONE;
const seen = (file: string): string => join(clone, relative(CLONE, file));

beforeAll(async () => {
  if (!isRoot) return;
  clone = await mkdtemp(join(tmpdir(), "codehub-clone-"));
  await chmod(clone, 0o755);
  execFileSync("mount", ["--bind", CLONE, clone]);
  // Whatever a killed run leaves mounted, nobody changes the clone through it.
  execFileSync("mount", ["-o", "remount,bind,ro", clone]);
});

afterAll(async () => {
  if (!isRoot) return;
  execFileSync("umount", [clone]);
  await rmdir(clone);
});

let base: string;
let servers: EmbeddedPostgres[];
let programs: ChildProcess[];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "codehub-embedded-"));
  await chmod(base, 0o755);
  servers = [];
  programs = [];
});

afterEach(async () => {
  for (const server of servers) await server.stop();
  for (const program of programs) {
    if (program.exitCode === null && program.signalCode === null) {
      program.kill("SIGTERM");
      await once(program, "exit");
    }
  }
  await rm(base, { recursive: true, force: true });
});

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await EmbeddedPostgres.start({
    dir: join(base, "postgres"),
    fallbackDir: join(base, "fallback"),
    ...options,
    settings: { fsync: "off", ...options.settings },
  });
  servers.push(server);
  return server;
}

async function stop(server: EmbeddedPostgres): Promise<void> {
  servers = servers.filter((other) => other !== server);
  await server.stop();
}

type Answer = Partial<{ url: string; pid: number; adopted: boolean; rootDir: string; tookOverSignals: boolean }> &
  Partial<{ kind: string; message: string }>;

/** Starts the program of its own, optionally as another user, and reads its first line. */
async function runProgram(dir: string, uid?: number): Promise<{ program: ChildProcess; answer: Answer }> {
  const identity = uid === undefined ? {} : { uid, gid: uid };
  const program = spawn(seen(process.execPath), [seen(PROGRAM), dir, join(base, "fallback")], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: "/",
    ...identity,
  });
  programs.push(program);
  const [line] = await once(createInterface({ input: program.stdout }), "line");
  return { program, answer: JSON.parse(String(line)) };
}

async function ask(url: string | undefined, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url ?? "" });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: "array" })).rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** Asks again until the server that is coming back answers; the test's own timeout ends it. */
async function askUntilAnswered(url: string, sql: string): Promise<unknown> {
  for (;;) {
    try {
      return await ask(url, sql);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function failure(options: Partial<EmbeddedPostgresOptions> = {}): Promise<{ kind: string; message: string }> {
  return await start(options).then(
    () => Promise.reject(new Error("it started")),
    (error) => error,
  );
}

describe("start and stop", () => {
  test("a first start makes the database, and a restart finds what was written", async () => {
    const first = await start();
    expect(first.adopted).toBe(false);
    await ask(first.url, "CREATE TABLE kept AS SELECT 42 AS value");
    await stop(first);
    expect(await isPostmasterOf(first.pid, join(first.rootDir, "data"))).toBe(false);
    const second = await start();
    expect(await ask(second.url, "SELECT value FROM kept")).toBe(42);
  });

  test("it has no TCP port, so that none can be taken", async () => {
    const server = await start();
    expect(await ask(server.url, "SHOW listen_addresses")).toBe("");
    expect((await stat(join(server.rootDir, "run"))).mode & 0o777).toBe(0o700);
  });

  test.runIf(isRoot)("started by root it runs as somebody else, who owns the data", async () => {
    const server = await start();
    const owner = (await stat(join(server.rootDir, "data"))).uid;
    expect(owner).not.toBe(0);
    expect((await stat(`/proc/${server.pid}`)).uid).toBe(owner);
  });

  test.runIf(isRoot)(
    "started by root in a directory nobody else can enter, it lives elsewhere and says where",
    async () => {
      const hidden = join(base, "hidden");
      await mkdir(hidden, { mode: 0o700 });
      const first = await start({ dir: join(hidden, "postgres") });
      expect(first.rootDir.startsWith(join(base, "fallback"))).toBe(true);
      expect((await readFile(join(hidden, "postgres/location"), "utf8")).trim()).toBe(first.rootDir);
      await ask(first.url, "CREATE TABLE kept ()");
      await stop(first);
      const second = await start({ dir: join(hidden, "postgres") });
      expect(second.rootDir).toBe(first.rootDir);
      await ask(second.url, "SELECT count(*) FROM kept");
    },
  );

  test("a directory too deep for a socket's name gets a shorter one for its socket", async () => {
    const server = await start({ dir: join(base, "d".repeat(120), "postgres") });
    expect(await ask(server.url, "SELECT 1")).toBe(1);
    const socketDir = new URL(server.url).searchParams.get("host") ?? "";
    expect(socketDir.length).toBeLessThan(90);
    await stop(server);
    await expect(stat(socketDir)).rejects.toThrow("ENOENT");
  });

  test("a server that dies is started again under the same address", async () => {
    const server = await start();
    await ask(server.url, "CREATE TABLE kept ()");
    const killed = server.pid;
    process.kill(killed, "SIGKILL");
    expect(await askUntilAnswered(server.url, "SELECT count(*) FROM kept")).toBe("0");
    await expect.poll(() => server.pid).not.toBe(killed);
  });
});

describe("what the last program left behind", () => {
  test("after kill -9 of the program its server is adopted with its data, and can be stopped", async () => {
    const dir = join(base, "postgres");
    const { program, answer } = await runProgram(dir);
    expect(answer).toMatchObject({ adopted: false, tookOverSignals: false });
    await ask(answer.url, "CREATE TABLE kept AS SELECT 7 AS value");
    program.kill("SIGKILL");
    await once(program, "exit");
    const server = await start({ dir });
    expect(server.adopted).toBe(true);
    expect(server.pid).toBe(answer.pid);
    expect(await ask(server.url, "SELECT value FROM kept")).toBe(7);
    await stop(server);
    expect(await isPostmasterOf(server.pid, join(dir, "data"))).toBe(false);
  });

  test("a program that still runs keeps its server", async () => {
    const { answer } = await runProgram(join(base, "postgres"));
    const refusal = await failure();
    expect(refusal.kind).toBe("in-use");
    expect(refusal.message).toMatch(/Another CodeHub \(process \d+\).*DATA_DIR/);
    expect(await ask(answer.url, "SELECT 1")).toBe(1);
  });

  test.each([
    ["a process that is gone", () => 4_194_303],
    ["a process that is not PostgreSQL", () => process.pid],
  ])("a pid file that names %s does not stop the start", async (_what, pid) => {
    const first = await start();
    const pidFile = join(first.rootDir, "data/postmaster.pid");
    const left = await readFile(pidFile, "utf8");
    await stop(first);
    await writeFile(pidFile, left.replace(/^\d+/, String(pid())));
    await writeFile(join(first.rootDir, "run/.s.PGSQL.5432.lock"), left.replace(/^\d+/, String(pid())));
    if (isRoot) await chown(pidFile, (await stat(join(first.rootDir, "data"))).uid, 0);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await ask(second.url, "SELECT 1")).toBe(1);
  });

  test("a first start that was cut short is begun again", async () => {
    const unfinished = join(base, "postgres/data.new");
    await mkdir(join(unfinished, "base"), { recursive: true });
    await writeFile(join(unfinished, "PG_VERSION"), "18\n");
    const server = await start();
    expect(await ask(server.url, "SELECT 1")).toBe(1);
    expect(await readdir(server.rootDir)).not.toContain("data.new");
  });
});

describe("who may connect", () => {
  const withoutPassword = (url: string): string => {
    const bare = new URL(url);
    bare.password = "";
    return bare.href;
  };

  test("only who knows the password, which the server keeps to itself", async () => {
    const server = await start();
    await expect(ask(withoutPassword(server.url), "SELECT 1")).rejects.toThrow(/password/);
    expect(await ask(server.url, "SELECT 1")).toBe(1);
    const file = await stat(join(server.rootDir, "password"));
    expect([file.uid, file.mode & 0o777]).toEqual([process.getuid?.(), 0o600]);
  });

  describe.runIf(isRoot)(
    "on the directory of the first version, which belonged to nobody and trusted everybody",
    () => {
      const dir = () => join(base, "postgres");
      const data = () => join(dir(), "data");

      /** As that version made it: by nobody, with trust on the socket. */
      const makeOldDirectory = async (): Promise<{ postgres: string; run: string }> => {
        const run = join(dir(), "run");
        const account: Account = { name: "nobody", uid: NOBODY, gid: NOBODY, switchUser: true, maker: NOBODY };
        const { initdb, postgres } = await provideBinaries(account, join(base, "binaries"));
        const passwordFile = join(dir(), "password");
        await mkdir(dir());
        for (const path of [data(), run]) await mkdir(path, { mode: 0o700 });
        await writeFile(passwordFile, "the-first-password", { mode: 0o600 });
        for (const path of [data(), run, passwordFile]) await chown(path, NOBODY, NOBODY);
        const options = [`--pgdata=${data()}`, "--username=codehub", `--pwfile=${passwordFile}`, "--auth-local=trust"];
        const more = ["--auth-host=scram-sha-256", "--encoding=UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"];
        execFileSync(initdb, [...options, ...more, "--no-sync"], {
          uid: NOBODY,
          gid: NOBODY,
          cwd: "/",
          stdio: "ignore",
        });
        return { postgres, run };
      };
      /** The server that the killed first version left running, with something written by it. */
      const startOldServer = async (): Promise<ChildProcess> => {
        const { postgres, run } = await makeOldDirectory();
        const settings = ["listen_addresses=", "fsync=off", `unix_socket_directories=${run}`].flatMap((one) => [
          "-c",
          one,
        ]);
        const identity = { uid: NOBODY, gid: NOBODY };
        const old = spawn(postgres, ["-D", data(), ...settings], { cwd: "/", stdio: "ignore", ...identity });
        programs.push(old);
        const url = `postgres://codehub@localhost:5432/postgres?host=${encodeURIComponent(run)}`;
        expect(await askUntilAnswered(url, "CREATE DATABASE codehub")).toBeUndefined();
        await ask(url.replace("/postgres?", "/codehub?"), "CREATE TABLE kept AS SELECT 11 AS value");
        return old;
      };
      const expectTakenOver = async (server: EmbeddedPostgres): Promise<void> => {
        const { uid } = await stat(data());
        expect([0, NOBODY]).not.toContain(uid);
        expect((await stat(`/proc/${server.pid}`)).uid).toBe(uid);
        expect(execFileSync("find", [data(), "!", "-uid", String(uid)], { encoding: "utf8" })).toBe("");
        await expect(ask(withoutPassword(server.url), "SELECT 1")).rejects.toThrow(/password/);
      };

      test("its orphaned server is ended, the files change hands, and nothing is lost", async () => {
        const old = await startOldServer();
        const passwd = await readFile("/etc/passwd", "utf8");
        const server = await start();
        expect(old.exitCode).toBe(0);
        expect(server.adopted).toBe(false);
        expect(await ask(server.url, "SELECT value FROM kept")).toBe(11);
        await expectTakenOver(server);
        expect(await readFile("/etc/passwd", "utf8")).toBe(passwd);
      });

      test("a change of hands that was cut short is finished", async () => {
        const old = await startOldServer();
        old.kill("SIGKILL");
        await once(old, "exit");
        await chown(data(), 0, 0);
        execFileSync("chown", ["-R", "60700:60700", join(data(), "base"), join(data(), "pg_wal")]);
        const server = await start();
        expect(await ask(server.url, "SELECT value FROM kept")).toBe(11);
        await expectTakenOver(server);
      });

      test("a program of the first version that still runs keeps its server", async () => {
        const old = await startOldServer();
        const client = new pg.Client({ host: join(dir(), "run"), user: "codehub", database: "postgres" });
        await client.connect();
        await client.query("SELECT pg_advisory_lock(7201945)");
        expect(await failure()).toMatchObject({ kind: "in-use" });
        expect(old.exitCode).toBeNull();
        expect((await stat(data())).uid).toBe(NOBODY);
        await client.end();
      });

      test("neither nobody nor a workspace's account gets in any more", async () => {
        await makeOldDirectory();
        const server = await start();
        const socket = join(new URL(server.url).searchParams.get("host") ?? "", ".s.PGSQL.5432");
        const connecting = `require("net").connect(${JSON.stringify(socket)}).on("connect", () => process.exit(7)).on("error", () => process.exit(3))`;
        for (const uid of [NOBODY, 20_001]) {
          const attempt = spawn(seen(process.execPath), ["-e", connecting], {
            uid,
            gid: uid,
            cwd: "/",
            stdio: "ignore",
          });
          expect(await once(attempt, "exit"), String(uid)).toEqual([3, null]);
        }
      });
    },
  );
});

describe("what cannot work says what to do", () => {
  test("a TCP port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const tcpPort = typeof address === "object" ? address?.port : undefined;
    const trouble = await failure(tcpPort === undefined ? {} : { tcpPort });
    taken.close();
    expect(trouble).toMatchObject({ kind: "port-taken", message: expect.stringMatching(/taken.*another port/is) });
  });

  test("a data directory of another major version, left as it is", async () => {
    const first = await start();
    await stop(first);
    const version = join(first.rootDir, "data/PG_VERSION");
    await writeFile(version, "15\n");
    const trouble = await failure();
    expect(trouble).toMatchObject({ kind: "other-version", message: expect.stringMatching(/PostgreSQL 15.*pg_dump/s) });
    expect(await readFile(version, "utf8")).toBe("15\n");
    await writeFile(version, "18\n");
    expect(await ask((await start()).url, "SELECT 1")).toBe(1);
  });

  test("a directory that holds something else", async () => {
    await mkdir(join(base, "postgres/data"), { recursive: true });
    await writeFile(join(base, "postgres/data/thesis.txt"), "mine");
    expect(await failure()).toMatchObject({ kind: "not-a-database" });
    expect(await readFile(join(base, "postgres/data/thesis.txt"), "utf8")).toBe("mine");
  });

  test.runIf(isRoot)("a full disk; with space it starts", async () => {
    const disk = join(base, "disk");
    await mkdir(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=12m,mode=0755", "tmpfs", disk]);
    try {
      const trouble = await failure({ dir: join(disk, "postgres") });
      expect(trouble).toMatchObject({ kind: "disk-full", message: expect.stringMatching(/full.*Free some space/s) });
      execFileSync("mount", ["-o", "remount,size=200m", disk]);
      const server = await start({ dir: join(disk, "postgres") });
      expect(await ask(server.url, "SELECT 1")).toBe(1);
      await stop(server);
    } finally {
      execFileSync("umount", [disk]);
    }
  });
});

describe.runIf(isRoot)("as a normal user", () => {
  test("it starts, restarts and adopts", async () => {
    await chown(base, NOBODY, NOBODY);
    const dir = join(base, "postgres");
    const first = await runProgram(dir, NOBODY);
    expect(first.answer).toMatchObject({ adopted: false, rootDir: dir });
    first.program.kill("SIGKILL");
    await once(first.program, "exit");
    const second = await runProgram(dir, NOBODY);
    expect(second.answer).toMatchObject({ adopted: true, pid: first.answer.pid });
  });

  test("data of a normal user is served under that user when root starts, and again by himself", async () => {
    await chown(base, DAEMON, DAEMON);
    const dir = join(base, "postgres");
    const { program } = await runProgram(dir, DAEMON);
    program.kill("SIGTERM");
    await once(program, "exit");
    const server = await start();
    expect((await stat(`/proc/${server.pid}`)).uid).toBe(DAEMON);
    await stop(server);
    // The log is the one thing that root's start leaves as root's.
    await chown(join(dir, "postgres.log"), DAEMON, DAEMON);
    expect((await runProgram(dir, DAEMON)).answer).toMatchObject({ adopted: false, rootDir: dir });
  });

  test("a directory it cannot read says what to do", async () => {
    await mkdir(join(base, "postgres/data"), { recursive: true, mode: 0o700 });
    await chmod(join(base, "postgres"), 0o777);
    const { answer } = await runProgram(join(base, "postgres"), NOBODY);
    expect(answer).toMatchObject({ kind: "unreadable", message: expect.stringMatching(/chown -R|DATA_DIR/) });
  });

  test("a directory it cannot write says what to do", async () => {
    await chmod(base, 0o755);
    const { answer } = await runProgram(join(base, "below/postgres"), NOBODY);
    expect(answer).toMatchObject({ kind: "unreadable", message: expect.stringMatching(/DATA_DIR/) });
  });
});

describe("the programs", () => {
  test("are copied, with their missing links made, where PostgreSQL's user cannot read the installed ones", async () => {
    const installed = locatePackage();
    const dir = join(base, "installed");
    await cp(installed.dir, dir, {
      recursive: true,
      // Links stay inside the copy: this clone itself may lie where PostgreSQL's user cannot look.
      verbatimSymlinks: true,
      filter: (path) => !/\.so(\.\d+)?$/.test(path) || /plpgsql|dict|utf8|\d{2}/.test(path),
    });
    await rm(join(dir, "native/lib/libpq.so.5"), { force: true });
    // For root the directory is closed to PostgreSQL's user; for anybody else the copy in place just gets its links.
    await chmod(dir, isRoot ? 0o700 : 0o755);
    const account = await chooseAccount(join(base, "data"));
    const binaries = await provideBinaries(account, join(base, "copies"), { ...installed, dir });
    expect(binaries.postgres.startsWith(isRoot ? join(base, "copies") : dir)).toBe(true);
    expect((await stat(join(binaries.postgres, "../../lib/libpq.so.5"))).isFile()).toBe(true);
  });
});
