import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { flagsFor, frugal } from "#supervise/frugal.ts";
import { shareOf } from "../shared/pss.ts";

const MAIN = join(import.meta.dirname, "coordinator-main.ts");
/** Of a tick of the processor's clock, as Linux counts for everybody. */
const TICK_MS = 10;

/** A coordinator in a process of its own, which may be killed and started again. */
export class CoordinatorProcess implements AsyncDisposable {
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  #blockedMs = 0;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  start(): void {
    const env = frugal({
      PATH: process.env["PATH"],
      LOG_LEVEL: process.env["LOG_LEVEL"] ?? "error",
      ...this.#environment,
    });
    const flags = [...flagsFor(["coordinator"]), ...(process.env["FLEET_BENCH_FLAGS"]?.split(" ") ?? [])];
    this.#child = spawn(process.execPath, [...flags, MAIN], { stdio: ["ignore", "inherit", "inherit", "ipc"], env });
    this.#child.on("message", (blockedMs: number) => {
      this.#blockedMs = Math.max(this.#blockedMs, blockedMs);
    });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  /** Since it began. */
  cpuMs(): number {
    const [, rest = ""] = readFileSync(`/proc/${this.#pid}/stat`, "utf8").split(") ");
    const fields = rest.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }

  /** The longest that nothing else could run in it since this was last asked, as it says itself every second. */
  takeBlockedMs(): number {
    const longest = this.#blockedMs;
    this.#blockedMs = 0;
    return longest;
  }

  async pssMb(): Promise<number> {
    return (await shareOf(this.#pid)).pssMb;
  }

  /** The most that was ever resident. */
  peakMb(): number {
    const status = readFileSync(`/proc/${this.#pid}/status`, "utf8");
    return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024) / 1e6;
  }

  get #pid(): number {
    if (this.#child === null || this.#child.exitCode !== null) throw new Error("the coordinator has ended");
    return this.#child.pid ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
