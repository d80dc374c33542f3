import type { ChildProcess } from "node:child_process";
import { INIT_FAILED, initFailure } from "#adapters/runtime-parts/init-step.ts";
import { markOf } from "./proc.ts";
import type { ContainerRecord, ExitRecord } from "./record.ts";
import { spawnAsUser } from "./room.ts";
import type { RotatingLog } from "./rotating-log.ts";

/** What a failed step says of itself, and the last of what it said before. */
const WORDS_BYTES = 8_192;

/** What runs in one container: a shell for what comes before the IDE, if anything does, which then becomes the IDE. */
export class Program {
  readonly #record: ContainerRecord;
  readonly #child: ChildProcess;
  #words = Buffer.alloc(0);

  /** Begins at once. */
  constructor(record: ContainerRecord, log: RotatingLog, onRoom: (namespace: number) => void) {
    this.#record = record;
    const { command, cwd, env, uid, room = null, takesInput } = record;
    const stdin = takesInput === true ? "inherit" : "ignore";
    this.#child = spawnAsUser(room, uid, { command, cwd, env, marks: markOf(record), stdin, onRoom });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        log.write(chunk);
        if (record.hasInit === true) this.#words = Buffer.concat([this.#words, chunk]).subarray(-WORDS_BYTES);
      });
    }
  }

  /** It was found and allowed to run. */
  get begun(): boolean {
    return this.#child.pid !== undefined;
  }

  async ended(): Promise<ExitRecord> {
    const exit = await end(this.#child);
    const failure =
      exit.code === INIT_FAILED && this.#record.hasInit ? initFailure(this.#words.toString("utf8")) : null;
    return failure === null ? exit : { ...exit, ended: failure };
  }

  stop(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGTERM");
    } catch {
      // The group has ended meanwhile.
    }
  }
}

/** Resolves when the program has ended and its output was read, or shortly after its end when others hold the pipe. */
function end(child: ChildProcess): Promise<ExitRecord> {
  return new Promise((resolve) => {
    child.once("error", (error) =>
      resolve({ code: 127, message: `${child.spawnfile} could not be started: ${error.message}` }),
    );
    child.once("exit", (code, signalName) => {
      const result = { code: code ?? 128 + signalNumber(signalName), message: null };
      child.once("close", () => resolve(result));
      setTimeout(() => resolve(result), 500);
    });
  });
}

function signalNumber(name: NodeJS.Signals | null): number {
  return name === "SIGKILL" ? 9 : name === "SIGTERM" ? 15 : name === "SIGSEGV" ? 11 : name === "SIGABRT" ? 6 : 1;
}
