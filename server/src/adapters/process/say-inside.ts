import { once } from "node:events";
import type { Readable } from "node:stream";
import { type HearLimits, heard } from "#adapters/runtime-parts/home-space.ts";
import { homeOf, type Place } from "./place.ts";
import { markOf } from "./proc.ts";
import type { ContainerRecord } from "./record.ts";
import { ROOM_HOME, SAFE_PATH, spawnAsUser } from "./room.ts";

/**
 * What a short program says that runs as the container's user and sees the machine as that user does. It has the
 * container's mark, so that it goes when the container goes.
 */
export async function sayInside(
  place: Place,
  record: ContainerRecord,
  command: (home: string) => readonly string[],
  limits: HearLimits,
): Promise<string> {
  const { uid, room = null, volume } = record;
  const home = room === null ? homeOf(place, volume) : ROOM_HOME;
  const marks = markOf(record);
  // Nothing of the server's own environment: it holds secrets.
  const env = { PATH: SAFE_PATH, HOME: home, ...marks };
  const child = spawnAsUser(room, uid, { command: command(home), cwd: "/", env, marks, stdin: "ignore" });
  child.stderr?.resume();
  const failed = once(child, "error").then(([error]) => Promise.reject(error as Error));
  try {
    return await Promise.race([heard(child.stdout as Readable, limits), failed]);
  } finally {
    failed.catch(() => {});
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) endGroup(child.pid);
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
