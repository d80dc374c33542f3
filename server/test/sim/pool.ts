import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { RunSummary, Task } from "./task.ts";

/** Runs tasks on every core and hands each result over as it comes. Stops asking for more when `next` gives null. */
export async function runAll(
  next: () => Task | null,
  onResult: (result: RunSummary, task: Task) => void,
): Promise<void> {
  const lanes = Array.from({ length: availableParallelism() }, () => runLane(next, onResult));
  await Promise.all(lanes);
}

function runLane(next: () => Task | null, onResult: (result: RunSummary, task: Task) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    let task = next();
    const go = (): void => {
      if (task !== null) worker.postMessage(task);
      else void worker.terminate().then(() => resolve());
    };
    worker.on("message", (result: RunSummary) => {
      if (task !== null) onResult(result, task);
      task = next();
      go();
    });
    worker.on("error", reject);
    go();
  });
}
