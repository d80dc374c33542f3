import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs/promises";
import { NAMES, SAFE_PATH } from "./room.ts";

const LISTS: ReadonlySet<string> = new Set(["passwd", "group"]);

/**
 * Whoever adds a user to the machine puts a new file in place of the list, and a mount on a file goes with the file: the
 * room then has the machine's list, without its own user. So it is given a new one. The namespace is the one that root
 * made, held since before anybody else was in it: a process of the room could lead to one with the user's own programs.
 */
export async function keepNames(uid: number, namespace: number, ended: AbortSignal): Promise<void> {
  try {
    for await (const { filename } of watch("/etc", { signal: ended })) {
      if (filename !== null && LISTS.has(filename)) await giveNames(uid, namespace);
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

async function giveNames(uid: number, namespace: number): Promise<void> {
  const script = `set -eu; umask 022; ${NAMES}\nnames "$1" /home`;
  const args = ["--mount=/proc/self/fd/3", "--", "/bin/sh", "-c", script, "names", String(uid)];
  const stdio = ["ignore", "ignore", "ignore", namespace] as const;
  await once(spawn("nsenter", args, { cwd: "/", env: { PATH: SAFE_PATH }, stdio: [...stdio] }), "exit");
}
