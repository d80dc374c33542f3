import { type ChildProcess, spawn } from "node:child_process";
import { afterExit } from "./after-exit.ts";
import { FRUGAL_FLAGS, frugal } from "./frugal.ts";

export interface Program {
  /** As people read it: "server". */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
}

/** What a child says over its channel once it does what it is there for. */
export const READY = "ready";

/**
 * One program that is kept running. It has a channel to us, by whose end it notices ours, and a process group of its own:
 * a terminal's Ctrl-C reaches it through us only, once.
 */
export class Child {
  readonly #program: Program;
  readonly #say: (words: string) => void;
  readonly #over: (exitCode: number) => void;
  #process: ChildProcess | null = null;
  #timer: NodeJS.Timeout | undefined;
  #readyAt: number | null = null;
  #everReady = false;
  #failures = 0;
  #told = false;

  /** `over`: it has ended and stays so. */
  constructor(program: Program, say: (words: string) => void, over: (exitCode: number) => void) {
    this.#program = program;
    this.#say = say;
    this.#over = over;
  }

  start(): void {
    const { file, args } = this.#program;
    const child = spawn(process.execPath, [...FRUGAL_FLAGS, file, ...args], {
      env: frugal(process.env),
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      detached: true,
    });
    this.#process = child;
    this.#readyAt = null;
    child.on("message", (message) => {
      if (message !== READY) return;
      this.#everReady = true;
      this.#readyAt = performance.now();
    });
    // Without a process there is no exit; with one, an error is about a signal or a message that it did not get any more.
    child.on("error", (error) => {
      if (child.pid === undefined) this.#ended(null, null, error.message);
    });
    child.once("exit", (code, signal) => this.#ended(code, signal, null));
  }

  stop(): void {
    this.#told = true;
    clearTimeout(this.#timer);
    if (this.#process === null) this.#over(0);
    else this.#process.kill("SIGTERM");
  }

  kill(): void {
    this.#process?.kill("SIGKILL");
  }

  #ended(code: number | null, signal: string | null, problem: string | null): void {
    this.#process = null;
    const readyMs = this.#readyAt === null ? 0 : performance.now() - this.#readyAt;
    const known = { told: this.#told, everReady: this.#everReady, readyMs, failures: this.#failures };
    const next = afterExit(this.#program.name, { code, signal, problem, ...known });
    if (next.words !== "") this.#say(next.words);
    if (next.kind === "stop") this.#over(next.exitCode);
    else {
      this.#failures = next.failures;
      this.#timer = setTimeout(() => this.start(), next.afterMs);
    }
  }
}
