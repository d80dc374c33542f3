import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "./place.ts";
import { type ProcessIdentity, processesOf, signal } from "./proc.ts";
import { readJson, writeJson } from "./record.ts";
import { removeTree } from "./remove-tree.ts";

/**
 * A job that runs as a workspace's user. Its processes carry a mark, as those of a container do; but which account they may
 * have is written down here, where only the server writes: of what others run nothing is believed.
 */
export interface JobRecord {
  readonly id: string;
  readonly deployment: string;
  readonly workspaceId: string;
  readonly attempt: string;
  /** Null when it runs as whoever runs the server. */
  readonly uid: number | null;
  /** Ours, in memory: holds the folder of the files that it was given. */
  readonly memoryDir: string | null;
}

const MEMORY_LIMITS = { asUserMs: 5_000, apartMs: 5_000 };
const ENDING = ".json";

const folderOf = ({ runDir }: Pick<Place, "runDir">): string => join(runDir, ".jobs");
const fileOf = (place: Pick<Place, "runDir">, id: string): string => join(folderOf(place), `${id}${ENDING}`);

export async function writeJob(place: Pick<Place, "runDir">, record: JobRecord): Promise<void> {
  await mkdir(folderOf(place), { recursive: true, mode: 0o700 });
  await writeJson(fileOf(place, record.id), record);
}

export async function readJobs(place: Pick<Place, "runDir">): Promise<JobRecord[]> {
  const names = await readdir(folderOf(place)).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const ids = names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
  const records = await Promise.all(ids.map((id) => readJson<JobRecord>(fileOf(place, id))));
  return records.filter((record) => record !== null);
}

export const processesOfJob = (record: JobRecord): Promise<ProcessIdentity[]> => processesOf(record, record.uid);

/** Ends all of it by force. Resolves to false when something is still there after the deadline. */
export async function endJob(place: Pick<Place, "runDir">, record: JobRecord, deadlineMs: number): Promise<boolean> {
  const until = performance.now() + deadlineMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 200)) {
    const left = await processesOfJob(record);
    // What is found may have started another process just now: only a look that finds nothing is an end.
    if (left.length === 0) break;
    for (const one of left) await signal(one, "SIGKILL");
    if (performance.now() > until) return false;
    await sleep(pauseMs);
  }
  if (record.memoryDir !== null) await removeTree(record.memoryDir, MEMORY_LIMITS);
  await rm(fileOf(place, record.id), { force: true });
  return true;
}

/** Records of jobs that ended while no server was there to see it. */
export async function removeEndedJobs(place: Pick<Place, "runDir">): Promise<void> {
  for (const record of await readJobs(place)) {
    if ((await processesOfJob(record)).length === 0) await endJob(place, record, 0);
  }
}
