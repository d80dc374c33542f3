import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const ROOT = resolve(import.meta.dirname, "../../..");

export interface Deployment {
  readonly url: string;
  /** Of the supervisor, from which everything else descends. */
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** What `npm start` runs, with a port of its own. */
export async function npmStart(dataDir: string, environment: Readonly<Record<string, string>>): Promise<Deployment> {
  const child = spawn("bash", [join(ROOT, "scripts/start.sh")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env["PATH"],
      HOME: dataDir,
      PORT: "0",
      DATA_DIR: dataDir,
      RUNTIME: "process",
      LOG_LEVEL: "warn",
      ...environment,
    },
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
  };
  try {
    return { url: await readyUrl(child), pid: child.pid ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const readyUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error("npm start has no output"));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /CodeHub is ready:\s+(\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once("exit", (code) => reject(new Error(`npm start ended with ${code} before it was ready`)));
  });
