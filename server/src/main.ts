import os from "node:os";
import { createLogger } from "#adapters/system/logger.ts";
import { ConfigError, describeConfig, readConfig } from "#config/config.ts";
import { startApp } from "./compose/app.ts";

/** More than PostgreSQL may take to end in good order. */
const STOP_LIMIT_MS = 60_000;

/** The program: reads its environment, starts what it says, and stops in order when it is told to. */
async function main(): Promise<void> {
  const config = readConfig(process.env, { isRoot: process.getuid?.() === 0, homeDir: os.homedir() });
  if (process.argv.includes("--print-config")) {
    for (const [name, value] of Object.entries(describeConfig(config))) console.log(`${name}=${value}`);
    return;
  }
  // Standard output is for the person who started it; what the program notes for operators goes beside it.
  const logger = createLogger({ level: config.LOG_LEVEL, destination: process.stderr });
  // A reader of the output that goes away is no reason to end.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  console.log("Starting CodeHub ...");
  const app = await startApp(config, logger);
  console.log(greeting(app));
  const stop = (signal: string): void => {
    console.log(`\n${signal}: stopping. Workspaces go on running.`);
    process.once("SIGINT", () => process.exit(130));
    setTimeout(() => {
      console.error("It takes too long: whatever does not answer is left alone. The next start goes on from here.");
      process.exit(1);
    }, STOP_LIMIT_MS).unref();
    void app.stop().then(() => process.exit(0));
  };
  process.once("SIGTERM", () => stop("SIGTERM"));
  process.once("SIGINT", () => stop("SIGINT"));
}

function greeting(app: Awaited<ReturnType<typeof startApp>>): string {
  const lines = ["", `  CodeHub is ready:  ${app.url}`, ""];
  if (app.firstAdmin !== null) {
    lines.push("  The first admin was made. This is shown once:", "");
    lines.push(`    user      ${app.firstAdmin.username}`, `    password  ${app.firstAdmin.password}`, "");
  }
  if (app.runtimeKind === "process") {
    lines.push("  Workspaces run as plain processes of this machine: for people you trust with it.", "");
  }
  return lines.join("\n");
}

main().catch((error: unknown) => {
  // A person reads this: what happened and what to do, without a stack unless something is wrong with us.
  if (error instanceof ConfigError) console.error(error.message);
  else console.error("CodeHub could not start:", error instanceof Error ? error.message : error);
  process.exit(1);
});
