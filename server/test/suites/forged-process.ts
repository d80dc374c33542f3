import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile } from "node:fs/promises";
import { join } from "node:path";

const STRANGER = 61_003;

/**
 * Processes of a hostile account with an environment of its choice. One is a setuid program, as every machine has some:
 * /proc shows it as root's, though the account started it.
 */
export async function forgers(scratch: string, env: Readonly<Record<string, string>>): Promise<ChildProcess[]> {
  await chmod(scratch, 0o711);
  const privileged = join(scratch, "sleep-as-root");
  await copyFile("/bin/sleep", privileged);
  await chmod(privileged, 0o4755);
  const account = { uid: STRANGER, gid: STRANGER };
  const forged = ["/bin/sleep", privileged].map((program) =>
    spawn(program, ["600"], { env, cwd: "/", stdio: "ignore", ...account }),
  );
  await Promise.all(forged.map((process) => once(process, "spawn")));
  return forged;
}

export async function endAll(processes: readonly ChildProcess[]): Promise<void> {
  for (const process of processes) {
    const gone = once(process, "exit");
    if (process.kill("SIGKILL")) await gone;
  }
}
