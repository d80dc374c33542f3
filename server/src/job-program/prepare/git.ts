import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { PrepareProgress, PrepareStep } from "../prepare-protocol.ts";
import { JobFailure } from "../protocol.ts";
import { type GitSettings, SILENCE_SECONDS } from "./git-environment.ts";
import { parseProgress } from "./progress-line.ts";
import { removeFolder } from "./remove-folder.ts";
import type { Transcript } from "./transcript.ts";

export interface GitEnd {
  readonly ok: boolean;
  /** Null when it was ended by a signal. */
  readonly exitCode: number | null;
  /** The last of what it said, without its progress. */
  readonly said: string;
  readonly output: string;
}

export interface GitCall {
  readonly step: PrepareStep;
  readonly args: readonly string[];
  readonly cwd: string;
  /** It talks with a host: what may pass is tried again, and a host that says nothing is not waited for. */
  readonly network?: boolean;
  /** Somebody waits for the answer: it is not tried again. */
  readonly once?: boolean;
  /** What it makes, and may leave half made: taken away before it is tried again. */
  readonly makes?: string;
}

export interface GitParts {
  readonly settings: GitSettings;
  readonly transcript: Transcript;
  readonly onProgress: (progress: PrepareProgress) => void;
  readonly signal: AbortSignal;
}

const SAID_CHARACTERS = 4_096;
const LINE_CHARACTERS = 16_384;
const OUTPUT_CHARACTERS = 32 * 2 ** 20;
const TERM_MS = 5_000;
const AFTER_EXIT_MS = 1_000;
/** Past the limit that git itself keeps, which does not hold while it connects, nor for ssh. */
const SILENCE_MS = SILENCE_SECONDS * 1_250;
/** From then on most is done here, and a slow disk is no silent host. */
const WORK_MS = 600_000;

const PASSING: readonly RegExp[] = [
  /Could not resolve host|Temporary failure in name resolution|Name or service not known/,
  /Failed to connect|Connection (refused|reset|timed out|closed)|Operation timed out|No route to host|Network is unreachable/,
  /Operation too slow|early EOF|unexpected disconnect|the remote end hung up|RPC failed|transfer closed|Empty reply/,
  /The requested URL returned error: (5\d\d|429)|kex_exchange_identification/,
];
/** Said by ssh beside words of the above, and final. */
const FINAL = /Permission denied|Host key verification failed|REMOTE HOST IDENTIFICATION|does not appear to be a git/;
const PAUSES_MS: readonly number[] = [1_000, 3_000];

/** Commands of git, one at a time, without a shell. */
export class Git {
  readonly #parts: GitParts;

  constructor(parts: GitParts) {
    this.#parts = parts;
  }

  /** With other settings: for another address. */
  with(settings: GitSettings): Git {
    return new Git({ ...this.#parts, settings });
  }

  async run(call: GitCall): Promise<GitEnd> {
    this.#parts.onProgress({ step: call.step, percent: null, doneBytes: 0, bytesPerSecond: null });
    for (const pauseMs of [...PAUSES_MS, null]) {
      const end = await this.#once(call);
      if (end.ok || call.network !== true || call.once === true || pauseMs === null || !mayPass(end.said)) return end;
      this.#parts.transcript.add(`codehub: trying again in ${pauseMs / 1_000} s`);
      await pause(pauseMs, this.#parts.signal);
      if (call.makes !== undefined) await removeFolder(call.makes);
    }
    throw new Error("unreachable");
  }

  /** For questions that have an answer or none. */
  async ask(cwd: string, ...args: readonly string[]): Promise<string | null> {
    const { ok, output } = await this.#once({ step: "reading", args, cwd }, true);
    return ok ? output.trim() : null;
  }

  async #once({ step, args, cwd, network = false }: GitCall, quiet = false): Promise<GitEnd> {
    const { settings, transcript, onProgress, signal } = this.#parts;
    signal.throwIfAborted();
    if (!quiet) transcript.add(`$ git ${args.join(" ")}`);
    const child = spawn("git", [...settings.options, ...args], {
      cwd,
      env: settings.env,
      // A group of its own, so that whatever it started can be ended with it.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    let output = "";
    const silence = new Silence(network, () => {
      tell(`fatal: Operation too slow: the host sent nothing for ${SILENCE_SECONDS} seconds`);
      killGroup(child.pid, "SIGKILL");
    });
    const tell = (line: string): void => {
      said = `${said}${transcript.told(line)}\n`.slice(-SAID_CHARACTERS);
      if (!quiet) transcript.add(line);
    };
    const lines = new Lines((raw, over) => {
      const line = raw.trimEnd();
      const progress = parseProgress(step, line);
      if (progress !== null) onProgress(progress);
      if (progress !== null && line.startsWith("Receiving")) silence.working();
      if (progress === null && line !== "") tell(line);
      else if (over && progress !== null && !quiet) transcript.add(line);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      silence.broken();
      lines.add(text);
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      silence.broken();
      if (output.length < OUTPUT_CHARACTERS) output += text;
    });
    const end = () => killSoon(child.pid);
    signal.addEventListener("abort", end, { once: true });
    try {
      const exitCode = await ended(child);
      lines.end();
      signal.throwIfAborted();
      return { ok: exitCode === 0, exitCode, said: wellFormed(said.trim()), output };
    } finally {
      silence.over();
      signal.removeEventListener("abort", end);
      // Nobody of its group is of use any more.
      killGroup(child.pid, "SIGKILL");
    }
  }
}

const mayPass = (said: string): boolean => !FINAL.test(said) && PASSING.some((words) => words.test(said));

/** A cut in the middle of a character leaves what is no text. */
const wellFormed = (text: string): string => text.toWellFormed();

type GitProcess = ChildProcessByStdio<null, Readable, Readable>;

/** Its output is read to the end, unless somebody who outlives it holds the pipe. */
function ended(child: GitProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      reject(new JobFailure("ActionFailed", `git could not be started: ${error.message}`, { cause: error }));
    });
    child.once("exit", (code) => {
      const late = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, AFTER_EXIT_MS);
      child.once("close", () => {
        clearTimeout(late);
        resolve(code);
      });
    });
  });
}

/** Git overwrites a line of progress by a carriage return; `over` says that a line was ended as lines are. */
class Lines {
  readonly #take: (line: string, over: boolean) => void;
  #rest = "";

  constructor(take: (line: string, over: boolean) => void) {
    this.#take = take;
  }

  add(text: string): void {
    const parts = (this.#rest + text).split(/(\r\n|\r|\n)/);
    this.#rest = (parts.pop() ?? "").slice(0, LINE_CHARACTERS);
    for (let index = 0; index < parts.length; index += 2) this.#take(parts[index] ?? "", parts[index + 1] !== "\r");
  }

  end(): void {
    if (this.#rest !== "") this.#take(this.#rest, true);
    this.#rest = "";
  }
}

class Silence {
  readonly #onSilence: (() => void) | null;
  #limitMs = SILENCE_MS;
  #timer: NodeJS.Timeout | undefined;

  constructor(watches: boolean, onSilence: () => void) {
    this.#onSilence = watches ? onSilence : null;
    this.broken();
  }

  broken(): void {
    clearTimeout(this.#timer);
    if (this.#onSilence !== null) this.#timer = setTimeout(this.#onSilence, this.#limitMs);
  }

  working(): void {
    this.#limitMs = WORK_MS;
  }

  over(): void {
    clearTimeout(this.#timer);
  }
}

function killSoon(pid: number | undefined): void {
  killGroup(pid, "SIGTERM");
  setTimeout(() => killGroup(pid, "SIGKILL"), TERM_MS).unref();
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended, with all that it started.
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
