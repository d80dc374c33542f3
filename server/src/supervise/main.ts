import { flushCompileCache } from "node:module";
import path from "node:path";
import { Child, type Program } from "./child.ts";

/** More than the server gives itself. */
const STOP_LIMIT_MS = 70_000;
/** Ctrl-C reaches us from the terminal and from npm, and is one request all the same. */
const SAME_REQUEST_MS = 1_000;

const PROGRAMS: readonly Program[] = [
  { name: "server", file: path.join(import.meta.dirname, "../main.ts"), args: process.argv.slice(2) },
];

/** `npm start`: keeps the programs of one deployment running, says why one ended, and ends with all of them. */
function main(): void {
  // A reader of the output that goes away is no reason to end.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  const say = (words: string): void => console.error(words);
  const left = new Set<Child>();
  let exitCode = 0;
  let toldAt: number | null = null;

  const stopAll = (): void => {
    if (toldAt !== null) return;
    toldAt = performance.now();
    setTimeout(killAll, STOP_LIMIT_MS).unref();
    for (const child of [...left]) child.stop();
  };
  const killAll = (): void => {
    for (const child of left) child.kill();
  };
  const onSignal = (): void => {
    if (toldAt === null) stopAll();
    else if (performance.now() - toldAt >= SAME_REQUEST_MS) {
      say("Told again: what has not stopped yet is killed. The next start goes on from here.");
      killAll();
    }
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);

  for (const program of PROGRAMS) {
    const child: Child = new Child(program, say, (code) => {
      left.delete(child);
      exitCode ||= code;
      if (left.size === 0) process.exit(exitCode);
      // One that stays away takes the others along: a deployment is whole or not there.
      stopAll();
    });
    left.add(child);
  }
  for (const child of left) child.start();
  // Where a cache is configured, it is written now: whoever is killed never gets to.
  flushCompileCache();
}

main();
