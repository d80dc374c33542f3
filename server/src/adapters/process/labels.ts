import { readdir } from "node:fs/promises";
import { areOurs, environmentOf, uidsOf } from "./proc.ts";

/**
 * Processes are known by what is in their environment, never by a number alone: numbers are used again, and a process
 * that outlived the server is found by the labels that it and everything it started carry.
 */
export interface LabelledProcess {
  readonly pid: number;
  readonly environment: ReadonlyMap<string, string>;
}

/**
 * Every process of our own account whose environment has all these values. Jobs run as we do, and anybody can put our
 * labels into an environment: what others run is not even read. A process that has ended and waits for its parent has no
 * environment any more and is not counted.
 */
export async function findProcesses(labels: Readonly<Record<string, string>>): Promise<LabelledProcess[]> {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const found: LabelledProcess[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    const pid = Number(name);
    if (!areOurs(await uidsOf(pid))) continue;
    const variables = await environmentOf(pid);
    if (wanted.every((label) => variables.includes(label))) found.push({ pid, environment: asMap(variables) });
  }
  return found;
}

function asMap(variables: readonly string[]): Map<string, string> {
  return new Map(
    variables.map((variable) => {
      const equals = variable.indexOf("=");
      return [variable.slice(0, equals), variable.slice(equals + 1)];
    }),
  );
}

/** Ends every process with these labels by force. Resolves to false when some are still there after the deadline. */
export async function endProcesses(
  labels: Readonly<Record<string, string>>,
  deadlineMs: number,
  sleep: (ms: number) => Promise<void>,
): Promise<boolean> {
  const until = performance.now() + deadlineMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 200)) {
    const found = await findProcesses(labels);
    // What is found may have started another process just now: only a look that finds nothing is an end.
    if (found.length === 0) return true;
    for (const { pid } of found) kill(pid);
    if (performance.now() > until) return false;
    await sleep(pauseMs);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
