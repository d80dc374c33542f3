import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Outcome, Task } from "./run.ts";

/** The largest mix keeps about two million states; a thread's default heap would not hold them. */
const HEAP_MB = 6000;

/** Runs tasks in a few threads and hands outcomes over in the order of the tasks, as soon as that order allows. */
export async function runInThreads(
  tasks: readonly Task[],
  threads: number,
  report: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  let reported = 0;
  const thread = async (): Promise<void> => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    try {
      for (let i = next++; i < tasks.length; i = next++) {
        worker.postMessage(tasks[i]);
        const [outcome] = (await once(worker, "message")) as [Outcome];
        outcomes[i] = outcome;
        for (let o = outcomes[reported]; o !== undefined; o = outcomes[reported]) {
          report(o);
          reported += 1;
        }
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, tasks.length) }, thread));
  return outcomes;
}
