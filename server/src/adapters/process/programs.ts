import { type ChildProcess, spawn } from "node:child_process";
import { INIT_FAILED, initFailed } from "#adapters/runtime-parts/init-step.ts";
import type { InitStep } from "#ports/start-extras.ts";
import type { ContainerRecord, ExitRecord } from "./record.ts";
import type { RotatingLog } from "./rotating-log.ts";

const WORDS_BYTES = 4_096;

/** What runs in one container, one after the other: the step before the IDE if there is one, then the IDE. */
export class Programs {
  readonly #record: ContainerRecord;
  readonly #log: RotatingLog;
  #current: ChildProcess | null = null;
  #stopped = false;

  constructor(record: ContainerRecord, log: RotatingLog) {
    this.#record = record;
    this.#log = log;
  }

  /** The IDE was found and allowed to run; a step before it that was not has failed, which is told as such. */
  get begun(): boolean {
    return this.#record.init !== undefined || this.#current?.pid !== undefined;
  }

  /** Begins at once; resolves with the end of the last one. */
  run(): Promise<ExitRecord> {
    const { init, command } = this.#record;
    return init === undefined ? end(this.#launch(command)) : this.#runBoth(init, command);
  }

  async #runBoth(init: InitStep, command: readonly string[]): Promise<ExitRecord> {
    const failure = await this.#runInit(init);
    if (failure !== null) return failure;
    return this.#stopped ? { code: TERMINATED, message: null } : await end(this.#launch(command));
  }

  /** Null when it ended well. What it leaves behind when it fails is ended with the container. */
  async #runInit({ command, limitSeconds }: InitStep): Promise<ExitRecord | null> {
    let words = Buffer.alloc(0);
    const child = this.#launch(command, (chunk) => {
      words = Buffer.concat([words, chunk]).subarray(-WORDS_BYTES);
    });
    let isLate = false;
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const limit = setTimeout(() => {
      isLate = true;
      resolve(null);
    }, limitSeconds * 1_000);
    const exit = await Promise.race([end(child), late]);
    clearTimeout(limit);
    if (isLate) signalGroup(child, "SIGKILL");
    if (exit?.code === 0) return null;
    const how = exit === null ? { limit_seconds: limitSeconds } : { exit_code: exit.code };
    const said = [words.toString("utf8").trim(), exit?.message ?? ""].filter((part) => part !== "").join("\n");
    return { code: INIT_FAILED, message: null, ended: initFailed(how, said) };
  }

  #launch(command: readonly string[], onOutput: (chunk: Buffer) => void = () => {}): ChildProcess {
    const [program = "", ...args] = command;
    const { uid, cwd, env } = this.#record;
    const account = uid === null ? {} : { uid, gid: uid };
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"], ...account });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#log.write(chunk);
        onOutput(chunk);
      });
    }
    this.#current = child;
    return child;
  }

  stop(): void {
    this.#stopped = true;
    if (this.#current !== null) signalGroup(this.#current, "SIGTERM");
  }
}

const TERMINATED = 143;

function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // The group has ended meanwhile.
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
