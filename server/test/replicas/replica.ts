import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { admin, readyUrl, SUPERVISOR } from "../e2e/program.ts";
import type { Front } from "./front.ts";

/** What replicas of one deployment have in common: workspaces as processes of this machine, behind one front. */
export const behind = (front: Front, dataDir: string, databaseUrl: string): Record<string, string> => ({
  HOST: "127.0.0.1",
  BASE_URL: front.baseUrl,
  WORKSPACE_BASE_URL: front.workspaceBaseUrl,
  TRUSTED_PROXIES: "127.0.0.1",
  DATABASE_URL: databaseUrl,
  RUNTIME: "process",
  DATA_DIR: dataDir,
  NODE_COMPILE_CACHE: join(dataDir, "compiled"),
  ADMIN_USERNAME: admin.username,
  ADMIN_PASSWORD: admin.password,
  LOG_LEVEL: "warn",
});

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
