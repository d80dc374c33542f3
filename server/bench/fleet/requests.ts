import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** One call of ours, as the API server wrote it down. */
export interface Call {
  /** When it arrived, by the clock of this machine. */
  readonly at: number;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly code: number;
  /** Why it was refused, if it was. */
  readonly said: string;
}

interface Line {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
  readonly requestReceivedTimestamp: string;
}

/** Follows the API server's own log of calls, also when it begins a new file. */
export class Requests implements AsyncDisposable {
  readonly calls: Call[] = [];
  readonly #user: string;
  readonly #tail;

  constructor(clusterDir: string, namespace: string) {
    this.#user = `system:serviceaccount:${namespace}:codehub`;
    this.#tail = spawn("tail", ["-n", "0", "-F", join(clusterDir, "log/audit.log")], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    createInterface({ input: this.#tail.stdout }).on("line", (line) => this.#take(line));
  }

  #take(text: string): void {
    if (!text.includes(this.#user)) return;
    const line = JSON.parse(text) as Line;
    // A watch is told when it begins and when it ends.
    if (line.user.username !== this.#user || (line.verb === "watch") !== (line.stage === "ResponseStarted")) return;
    this.calls.push({
      at: Date.parse(line.requestReceivedTimestamp),
      verb: line.verb,
      resource: line.objectRef?.resource ?? "",
      name: line.objectRef?.name ?? "",
      code: line.responseStatus?.code ?? 0,
      said: line.responseStatus?.message?.slice(0, 80) ?? "",
    });
  }

  /** Between two moments. */
  within(from: number, to: number): readonly Call[] {
    return this.calls.filter(({ at }) => at >= from && at < to);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#tail, "exit");
    this.#tail.kill();
    await ended;
  }
}

/** The most in any one second. */
export function peakPerSecond(calls: readonly Call[]): number {
  const seconds = Map.groupBy(calls, ({ at }) => Math.floor(at / 1_000));
  return Math.max(0, ...[...seconds.values()].map(({ length }) => length));
}
