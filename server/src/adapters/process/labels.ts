import { readdir, readFile } from "node:fs/promises";

/**
 * Processes are known by what is in their environment, never by a number alone: numbers are used again, and a process
 * that outlived the server is found by the labels that it and everything it started carry.
 */
export interface LabelledProcess {
  readonly pid: number;
  readonly environment: ReadonlyMap<string, string>;
}

/**
 * Every process whose environment has all these values. A process that has ended and waits for its parent has no
 * environment any more and is not counted. Processes of other users cannot be read, and cannot be ours.
 */
export async function findProcesses(labels: Readonly<Record<string, string>>): Promise<LabelledProcess[]> {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const first = wanted[0] ?? "";
  const found: LabelledProcess[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    const text = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (!text.includes(first)) continue;
    const variables = text.split("\0");
    if (wanted.every((label) => variables.includes(label))) {
      found.push({ pid: Number(name), environment: asMap(variables) });
    }
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
