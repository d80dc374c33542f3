import { flushCompileCache } from "node:module";
import os from "node:os";
import { systemClock } from "#adapters/system/clock.ts";
import { collectAtRest } from "#adapters/system/collect-at-rest.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { readableLog } from "#adapters/system/readable-log.ts";
import { describeConfig, readConfig } from "#config/config.ts";
import { startApp } from "./compose/app.ts";
import type { Ready } from "./supervise/child.ts";
import { exitCodeOf, startFailure } from "./supervise/exit-code.ts";
import { EXIT } from "./supervise/exit-codes.ts";
import { endOnFault } from "./supervise/faults.ts";

/** More than PostgreSQL may take to end in good order; beside what the settings give to requests. */
const STOP_LIMIT_MS = 60_000;
const ORPHANED = "What started this program has ended";

/** The program: reads its environment, starts what it says, and stops in order when it is told to. */
async function main(): Promise<void> {
  const config = readConfig(process.env, { isRoot: process.getuid?.() === 0, homeDir: os.homedir() });
  if (process.argv.includes("--print-config")) {
    for (const [name, value] of Object.entries(describeConfig(config))) console.log(`${name}=${value}`);
    return;
  }
  // Standard output is for the person who started it; what the program notes for operators goes beside it.
  const destination = process.stderr.isTTY ? await readableLog(process.stderr) : process.stderr;
  const logger = createLogger({ level: config.LOG_LEVEL, destination });
  endOnFault(logger);
  // A reader of the output that goes away is no reason to end.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  const told = toldToStop(STOP_LIMIT_MS + (config.SHUTDOWN_DRAIN_SECONDS + config.SHUTDOWN_GRACE_SECONDS) * 1_000);
  // Whoever supervises us and others speaks for all of us.
  const alone = process.send === undefined;
  if (alone) console.log("Starting CodeHub ...");
  const app = await startApp(config, logger);
  const words = config.CONTROL_SOCKET === null || config.ROLES.includes("api") ? greeting(app) : "";
  if (alone) console.log(words);
  // Nobody may be listening any more, which is for `told` to notice.
  else process.send?.({ kind: "ready", words } satisfies Ready, undefined, undefined, () => {});
  // What was compiled is kept for the next start, where a cache is configured; one that is killed has no other time for it.
  flushCompileCache();
  const over = new AbortController();
  void collectAtRest(systemClock, over.signal);
  const why = await told;
  over.abort();
  if (alone || why === ORPHANED) console.log(`\n${why}: stopping. Workspaces go on running.`);
  await app.stop();
  // Whether it has ended before we were told, or after.
  if (!alone && !process.connected) await (await import("./supervise/embedded-database.ts")).endLentDatabase(config);
  process.exit(EXIT.inOrder);
}

/**
 * Resolves with the reason. From then on everything is bounded in time, and a second Ctrl-C does not wait at all. A request
 * that comes while the program starts is kept until then: half started, parts of it would be left behind.
 */
function toldToStop(limitMs: number): Promise<string> {
  return new Promise((resolve) => {
    let told = false;
    const stop = (why: string): void => {
      if (told) return;
      told = true;
      process.once("SIGINT", () => process.exit(130));
      setTimeout(() => {
        console.error("It takes too long: whatever does not answer is left alone. The next start goes on from here.");
        process.exit(EXIT.failed);
      }, limitMs).unref();
      resolve(why);
    };
    // Told once more it is the same request: left to the system, it would end us in the middle of it.
    process.on("SIGTERM", () => stop("SIGTERM"));
    process.once("SIGINT", () => stop("SIGINT"));
    // Whoever started us has a channel to us for as long as it lives; without it nobody would ever end us.
    if (process.connected) process.once("disconnect", () => stop(ORPHANED));
    else if (process.send !== undefined) stop(ORPHANED);
  });
}

function greeting(app: Awaited<ReturnType<typeof startApp>>): string {
  const state = app.trouble.length === 0 ? "is ready" : "is up, and something is broken";
  const lines = ["", `  CodeHub ${state}:  ${app.url}`, ""];
  if (app.trouble.length > 0) lines.push(...app.trouble, "", "  codehub doctor looks at everything else.", "");
  if (app.firstAdmin !== null) {
    lines.push("  The first admin was created. This is shown once:", "");
    lines.push(`    user      ${app.firstAdmin.username}`, `    password  ${app.firstAdmin.password}`, "");
  }
  if (app.runtimeKind === "process") {
    lines.push("  Workspaces run as plain processes of this machine: for people you trust with it.", "");
  }
  return lines.join("\n");
}

main().catch((error: unknown) => {
  console.error(startFailure(error));
  process.exit(exitCodeOf(error));
});
