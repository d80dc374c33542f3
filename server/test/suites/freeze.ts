import { readdirSync, readFileSync } from "node:fs";

const LIMIT_MS = 5_000;

/** Stops a process where it is. A signal alone is a promise: threads on other cores still answer what they were just asked. */
export function freeze(pid: number | undefined): void {
  // 0 would be this program itself.
  if (!pid) throw new Error("There is no process to stop.");
  process.kill(pid, "SIGSTOP");
  const deadline = performance.now() + LIMIT_MS;
  while (!threadsOf(pid).every((stat) => stat.slice(stat.lastIndexOf(")")).startsWith(") T")))
    if (performance.now() > deadline) throw new Error(`Process ${pid} does not stop where it is.`);
}

const threadsOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8"));
