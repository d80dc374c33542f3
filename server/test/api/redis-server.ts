import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "#supervise/free-port.ts";
import { diesWithUs } from "../suites/dies-with-us.ts";

/** A real redis-server of its own, which a test may kill and start again on the same port. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

export function redisAvailable(): boolean {
  const available = spawnSync("redis-server", ["--version"]).status === 0;
  if (!available && process.env["CI"] !== undefined)
    throw new Error("CI needs redis-server: apt-get install redis-server");
  if (!available)
    console.log("Redis tests are skipped: no redis-server. Enable them with apt-get install redis-server.");
  return available;
}

export async function startRedis(): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), "codehub-redis-"));
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory];
    const started = spawn(...diesWithUs("redis-server", args), { stdio: ["ignore", "pipe", "ignore"] });
    child = started;
    // It says so itself when it accepts connections; nothing has to be polled.
    for await (const chunk of started.stdout) if (String(chunk).includes("Ready to accept connections")) break;
    started.stdout.resume();
  };
  const kill = async (): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
