import { type ChildProcess, spawn } from "node:child_process";
import { afterExit } from "./after-exit.ts";
import { EXIT } from "./exit-codes.ts";
import { flagsFor, frugal } from "./frugal.ts";

export interface Program {
  /** As people read it: "server". */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly roles: readonly string[];
  /** Beside our own environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What a child says over its channel once it does what it is there for. */
export interface Ready {
  readonly kind: "ready";
  /** For the person who started everything, once all of it is there. */
  readonly words: string;
}

const isReady = (message: unknown): message is Ready =>
  typeof message === "object" && message !== null && "kind" in message && message.kind === "ready";

export interface ChildWatch {
  readonly say: (words: string) => void;
  readonly ready: (words: string) => void;
  /** It has ended and stays so. */
  readonly over: (exitCode: number) => void;
}

/**
 * One program that is kept running. It has a channel to us, by whose end it notices ours, and a process group of its own:
 * a terminal's Ctrl-C reaches it through us only, once.
 */
export class Child {
  readonly #program: Program;
  readonly #watch: ChildWatch;
  #process: ChildProcess | null = null;
  #timer: NodeJS.Timeout | undefined;
  #readyAt: number | null = null;
  #everReady = false;
  #failures = 0;
  #told = false;
  #renewing = false;

  constructor(program: Program, watch: ChildWatch) {
    this.#program = program;
    this.#watch = watch;
  }

  start(): void {
    const { file, args, roles, environment } = this.#program;
    const child = spawn(process.execPath, [...flagsFor(roles), file, ...args], {
      env: { ...frugal(process.env), ...environment, ROLES: roles.join(",") },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      detached: true,
    });
    this.#process = child;
    this.#readyAt = null;
    this.#renewing = false;
    child.on("message", (message) => {
      if (!isReady(message)) return;
      this.#everReady = true;
      this.#readyAt = performance.now();
      this.#watch.ready(message.words);
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
    if (this.#process === null) this.#watch.over(0);
    else if (!this.#renewing) this.#process.kill("SIGTERM");
  }

  /**
   * Ends in order and begins anew, with what the program is by then. False where it does not run, is about to be started
   * anyway, or ends already.
   */
  renew(): boolean {
    if (this.#process === null || this.#told || this.#renewing) return false;
    this.#renewing = true;
    this.#process.kill("SIGTERM");
    return true;
  }

  kill(): void {
    this.#process?.kill("SIGKILL");
  }

  #ended(code: number | null, signal: string | null, problem: string | null): void {
    this.#process = null;
    if (this.#renewing && !this.#told && code === EXIT.inOrder) {
      this.start();
      return;
    }
    const readyMs = this.#readyAt === null ? 0 : performance.now() - this.#readyAt;
    const known = { told: this.#told, everReady: this.#everReady, readyMs, failures: this.#failures };
    const next = afterExit(this.#program.name, { code, signal, problem, ...known });
    if (next.words !== "") this.#watch.say(next.words);
    if (next.kind === "stop") this.#watch.over(next.exitCode);
    else {
      this.#failures = next.failures;
      this.#timer = setTimeout(() => this.start(), next.afterMs);
    }
  }
}
