import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Client } from "@codehub/contract";
import { apiAs, signIn } from "../e2e/accounts.ts";

/**
 * Visits a CodeHub that was started for the first time: `first-start.ts COMMAND…` runs the command, which runs `npm start`
 * and stops it in order when its standard input ends, and does what the first admin does.
 */

const READY = /CodeHub is ready:\s+(\S+)/;
const PASSWORD = /^\s+password\s+(\S+)\s*$/;
/** First start and first workspace download a few hundred megabytes where nothing is cached. */
const PATIENCE_MS = 15 * 60_000;

const [program = "", ...args] = process.argv.slice(2);
const machine = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const ended = once(machine, "exit").then(([code]) => code as number | null);
const url = Promise.withResolvers<string>();
const password = Promise.withResolvers<string>();
createInterface({ input: machine.stdout }).on("line", (line) => {
  console.log(`  ${line.replace(PASSWORD, "    password  (shown)")}`);
  const ready = READY.exec(line)?.[1];
  if (ready !== undefined) url.resolve(ready);
  const secret = PASSWORD.exec(line)?.[1];
  if (secret !== undefined) password.resolve(secret);
});

const begun = performance.now();
let part = "npm start";
function say(next: string): void {
  part = next;
  console.log(`fresh machine: ${next}, after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}

async function expectPage(address: string, wanted: RegExp): Promise<void> {
  const answer = await fetch(address);
  const body = await answer.text();
  if (!answer.ok || !wanted.test(body)) throw new Error(`${address} answered ${answer.status}: ${body.slice(0, 500)}`);
}

async function reaches(api: Client, id: string, phase: string): Promise<void> {
  for (;;) {
    const workspace = await api.getWorkspace({ params: { id } });
    if (workspace.phase === phase) return;
    if (workspace.phase === "ERROR") throw new Error(`the workspace is in ERROR: ${JSON.stringify(workspace.error)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function visit(): Promise<void> {
  const base = await url.promise;
  say("it is ready; its pages are asked for");
  await expectPage(new URL("/healthz", base).href, /./);
  await expectPage(base, /<div id="root"/);
  say("the first admin signs in with the password that was shown");
  const shown = await password.promise;
  const session = await signIn(base, { username: "admin", password: shown });
  const chosen = "a password of the own choice";
  await session.changePassword({ body: { current_password: shown, new_password: chosen } });
  const api = await apiAs(base, { username: "admin", password: chosen });
  say("the first workspace is created and started");
  const { id } = await api.createWorkspace({ body: { name: "first" } });
  await reaches(api, id, "RUNNING");
  say("the workspace runs and is put to STANDBY");
  await api.updateWorkspace({ params: { id }, body: { desired_state: "STANDBY" } });
  await reaches(api, id, "STANDBY");
  say("CodeHub is told to stop");
}

const tooEarly = ended.then((code) => {
  throw new Error(`the machine ended with exit code ${code}`);
});
const tooLate = new Promise<never>((_, reject) => {
  setTimeout(() => reject(new Error(`nothing more within ${PATIENCE_MS / 60_000} minutes`)), PATIENCE_MS).unref();
});
try {
  await Promise.race([visit(), tooEarly, tooLate]);
  machine.stdin.end();
  const code = await Promise.race([ended, tooLate]);
  if (code !== 0) throw new Error(`the machine ended with exit code ${code}`);
} catch (error) {
  console.error(`FAILED on the fresh machine at "${part}": ${(error as Error).message}`);
  machine.kill("SIGKILL");
  process.exitCode = 1;
}
