import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { countedBytes } from "#adapters/runtime-parts/counted-bytes.ts";
import { type Seen, unseen } from "#core/rows/observation.ts";
import { SAFE_PATH } from "./room.ts";

const LIMIT_MS = 30_000;

/** What the files of a home take. Its own user counts them, whenever nobody else has something to do. */
export async function countHome(home: string, uid: number | null): Promise<Seen<number>> {
  const child = spawn("nice", ["-n", "19", "du", "-skx", "--", home], {
    cwd: "/",
    env: { PATH: SAFE_PATH, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    ...(uid === null ? {} : { uid, gid: uid }),
  });
  const over = AbortSignal.timeout(LIMIT_MS);
  const tooLong = new Promise<null>((resolve) => over.addEventListener("abort", () => resolve(null), { once: true }));
  const failed = new Promise<"">((resolve) => child.once("error", () => resolve("")));
  // A disk that hangs holds its process, but nobody who waits for it.
  const said = await Promise.race([text(child.stdout), failed, tooLong]);
  if (said !== null) return countedBytes(said);
  child.kill("SIGKILL");
  return unseen("too_many_files");
}
