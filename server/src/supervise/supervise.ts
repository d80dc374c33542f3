import { spawnSync } from "node:child_process";
import { flushCompileCache } from "node:module";
import os from "node:os";
import { readConfig } from "#config/config.ts";
import { Child } from "./child.ts";
import { type Deployment, deploymentOf, MAIN } from "./deployment.ts";

/** More than a program gives itself beside what its settings give it. */
const STOP_LIMIT_MS = 70_000;
/** Ctrl-C reaches us from the terminal and from npm, and is one request all the same. */
const SAME_REQUEST_MS = 1_000;

/** `npm start`: keeps the programs of one deployment running, says why one ended, and ends with all of them. */
export async function supervise(args: readonly string[]): Promise<void> {
  // A reader of the output that goes away is no reason to end.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  // What only prints something does so once, and nothing is kept running.
  if (args.some((argument) => argument.startsWith("--print-")))
    process.exit(spawnSync(process.execPath, [MAIN, ...args], { stdio: "inherit" }).status ?? 1);
  const config = readConfig(process.env, { isRoot: process.getuid?.() === 0, homeDir: os.homedir() });
  const told = watchSignals();
  console.log("Starting CodeHub ...");
  const deployment = await deploymentOf(config, args, (words) => console.error(words));
  const stopLimitMs = STOP_LIMIT_MS + (config.SHUTDOWN_DRAIN_SECONDS + config.SHUTDOWN_GRACE_SECONDS) * 1_000;
  const exitCode = told.at === null ? await runAll(deployment, told, stopLimitMs) : 0;
  await deployment.close();
  process.exit(exitCode);
}

/** What we are told, from the first moment on: a request that comes while the database starts is kept until then. */
interface Told {
  at: number | null;
  stop: () => void;
  kill: () => void;
  renew: () => void;
}

function watchSignals(): Told {
  const told: Told = { at: null, stop: () => {}, kill: () => {}, renew: () => {} };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (told.at === null) {
      told.at = performance.now();
      console.log(`\n${signal}: stopping. Workspaces go on running.`);
      told.stop();
    } else if (performance.now() - told.at >= SAME_REQUEST_MS) {
      console.error("Told again: what has not stopped yet is killed. The next start goes on from here.");
      told.kill();
    }
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  process.on("SIGUSR2", () => told.renew());
  return told;
}

/** Resolves when all programs have ended, with the code to end with. */
function runAll({ programs, renewable }: Deployment, told: Told, stopLimitMs: number): Promise<number> {
  return new Promise((resolve) => {
    const left = new Map<string, Child>();
    const greetings = new Map<string, string>();
    let greeted = false;
    let exitCode = 0;
    const killAll = (): void => {
      for (const child of left.values()) child.kill();
    };
    // In their order: what passes requests on has ended before what answers them is told to.
    const stopNext = (): void => left.values().next().value?.stop();
    let stopping = false;
    const stopAll = (): void => {
      if (stopping) return;
      stopping = true;
      setTimeout(killAll, stopLimitMs).unref();
      stopNext();
    };
    const ready = (name: string, words: string): void => {
      if (greeted) console.error(`The ${name} is ready again.`);
      greetings.set(name, words);
      if (greeted || greetings.size < programs.length) return;
      greeted = true;
      console.log([...greetings.values()].join(""));
    };
    const over = (name: string, code: number): void => {
      left.delete(name);
      exitCode ||= code;
      // One that stays away takes the others along: a deployment is whole or not there.
      if (left.size === 0) resolve(exitCode);
      else if (stopping) stopNext();
      else stopAll();
    };
    for (const program of programs) {
      const { name } = program;
      const watch = {
        say: (words: string) => console.error(words),
        ready: (words: string) => ready(name, words),
        over: (code: number) => over(name, code),
      };
      left.set(name, new Child(program, watch));
    }
    told.stop = stopAll;
    told.kill = killAll;
    told.renew = () => {
      if (left.get(renewable)?.renew() === true)
        console.error(`SIGUSR2: the ${renewable} is stopped and started anew. Open workspaces stay connected.`);
    };
    for (const child of left.values()) child.start();
    // Where a cache is configured, it is written now: whoever is killed never gets to.
    flushCompileCache();
  });
}
