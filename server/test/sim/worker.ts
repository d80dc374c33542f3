import { parentPort } from "node:worker_threads";
import { runTask, type Task } from "./task.ts";

parentPort?.on("message", (task: Task) => {
  void runTask(task).then((summary) => parentPort?.postMessage(summary));
});
