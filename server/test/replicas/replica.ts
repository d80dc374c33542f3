import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readyUrl, SUPERVISOR } from "../e2e/program.ts";

/** One of several CodeHubs of one deployment: proxy and server with their supervisor, as `codehub start` runs them. */
export class Replica {
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  async start(): Promise<void> {
    const env = { PATH: process.env["PATH"], ...this.#environment };
    const child = spawn(process.execPath, [SUPERVISOR], { stdio: ["ignore", "pipe", "pipe"], env });
    this.#child = child;
    await readyUrl(child);
  }

  /** In order; answers how it ended. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return child?.exitCode ?? null;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const [code] = await gone;
    return code;
  }
}
