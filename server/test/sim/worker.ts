import { parentPort } from "node:worker_threads";
import { runTask, type Task } from "./task.ts";

// Faults are ordinary here: a stack for each of them would cost more than the steps between them.
Error.stackTraceLimit = 0;

parentPort?.on("message", (task: Task) => {
  void runTask(task).then((summary) => parentPort?.postMessage(summary));
});
