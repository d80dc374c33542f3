import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { markOf } from "./proc.ts";

const SUPERVISOR = fileURLToPath(new URL("./supervisor.ts", import.meta.url));
const container = { deployment: randomUUID(), id: `${randomUUID()}.0123456789ab` };

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "supervisor-"));
  await mkdir(join(dir, "u"));
  const record = {
    ...container,
    workspaceId: container.id.slice(0, 36),
    uid: null,
    socketDir: dir,
    userSocketDir: join(dir, "u"),
    socketPath: join(dir, "ide.sock"),
    command: ["sh", "-c", "exit 7"],
    env: { PATH: "/usr/bin:/bin", ...markOf(container) },
    cwd: "/",
    hintFile: join(dir, "hint"),
    logLimitBytes: 10_000,
  };
  await writeFile(join(dir, "container.json"), JSON.stringify(record));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** The supervisor of this directory, started for the given container by a server that is gone at once. */
async function supervise(by: typeof container): Promise<{ code: number | null; said: string }> {
  const supervisor = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", SUPERVISOR, dir], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", ...markOf(by) },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  supervisor.disconnect();
  const exited = once(supervisor, "exit") as Promise<[number | null]>;
  const said = await text(supervisor.stderr as Readable);
  const [code] = await exited;
  return { code, said };
}

test("a server that is gone before it can be told does not end its workspace's supervisor", async () => {
  expect(await supervise(container)).toEqual({ code: 0, said: "" });
  expect(JSON.parse(await readFile(join(dir, "exit.json"), "utf8"))).toMatchObject({ code: 7 });
});

test("a supervisor that comes too late leaves the container alone that has taken the place of its own", async () => {
  const { code, said } = await supervise({ ...container, id: `${randomUUID()}.ba9876543210` });
  expect(code).not.toBe(0);
  expect(said).toContain("another container");
  await expect(stat(join(dir, "started.json"))).rejects.toThrow("ENOENT");
});
