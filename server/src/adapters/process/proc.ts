import { readdir, readFile } from "node:fs/promises";
import { bootId, readStat } from "#adapters/runtime-parts/process-stat.ts";

/**
 * A process, such that no other one can be mistaken for it: a pid is used again, but not with the same start time in the
 * same boot.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
  readonly bootId: string;
}

/** Processes carry the mark of their container in their environment, and so does what they start. */
export const markOf = (container: { readonly deployment: string; readonly id: string }): Record<string, string> => ({
  [MARK]: `${container.deployment}/${container.id}`,
});
const MARK = "CODEHUB_CONTAINER";

/** Whether an environment carries the mark of this container. */
export const isMarkedFor = (
  environment: Readonly<Record<string, string | undefined>>,
  container: { readonly deployment: string; readonly id: string },
): boolean => environment[MARK] === markOf(container)[MARK];

export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const seen = await readStat(pid);
  return seen === null || seen.dead ? null : { pid, startTicks: seen.startTicks, bootId: await bootId() };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (identity.bootId !== (await bootId())) return false;
  const seen = await readStat(identity.pid);
  return seen !== null && !seen.dead && seen.startTicks === identity.startTicks;
}

/**
 * Every live process of a container: those that carry its mark, and what they started even if it cleaned its environment.
 * Only processes of its account or of the server's count, whatever others carry: nobody can join a container that is not
 * his. With `alone`, the account has no other container here, and all its processes are this one's.
 */
export async function processesOf(
  container: { readonly deployment: string; readonly id: string },
  uid: number | null,
  alone = false,
): Promise<ProcessIdentity[]> {
  const boot = await bootId();
  const all = (
    await Promise.all((await readdir("/proc")).filter(isNumber).map((pid) => readProcess(Number(pid))))
  ).filter((entry) => entry !== null);
  const mark = `${MARK}=${markOf(container)[MARK]}`;
  const belongs = async (entry: SeenProcess): Promise<boolean> => {
    if (entry.startedBy === uid) return alone || (await environmentOf(entry.pid)).includes(mark);
    // Nothing of a stranger's is read: he decides how long that takes.
    return entry.ours && (await environmentOf(entry.pid)).includes(mark);
  };
  const marked = await Promise.all(all.map(belongs));
  const found = new Map(all.filter((_, index) => marked[index]).map((entry) => [entry.pid, entry]));
  for (let grew = true; grew; ) {
    const children = all.filter((entry) => found.has(entry.parent) && !found.has(entry.pid));
    for (const child of children) found.set(child.pid, child);
    grew = children.length > 0;
  }
  found.delete(process.pid);
  return [...found.values()].map(({ pid, startTicks }) => ({ pid, startTicks, bootId: boot }));
}

/** Sends a signal; a process that is gone already is no error. */
export async function signal(identity: ProcessIdentity, name: NodeJS.Signals): Promise<void> {
  if (!(await isAlive(identity))) return;
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  /** The account it belongs to, also where a setuid program gives it other rights. */
  readonly startedBy: number;
  /** It is of the server's own account, in every respect. */
  readonly ours: boolean;
  readonly startTicks: string;
}

async function readProcess(pid: number): Promise<SeenProcess | null> {
  const seen = await readStat(pid);
  if (seen === null || seen.dead) return null;
  const uids = await uidsOf(pid);
  const [startedBy] = uids;
  if (startedBy === undefined) return null;
  return { pid, parent: seen.parent, startTicks: seen.startTicks, startedBy, ours: areOurs(uids) };
}

/**
 * A process's real, effective, saved and file system account; nothing for one that is gone. The owner of its directory
 * in /proc would not do: that is root for every setuid program, whoever started it.
 */
export async function uidsOf(pid: number): Promise<readonly number[]> {
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  const uids = /^Uid:\s+(.*)$/m.exec(status)?.[1];
  return uids === undefined ? [] : uids.split(/\s+/).map(Number);
}

export function areOurs(uids: readonly number[]): boolean {
  return uids.length > 0 && uids.every((uid) => uid === process.getuid?.());
}

/** Empty for a process that has ended, or whose environment is not ours to read. */
export async function environmentOf(pid: number): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return text.split("\0");
}

const isNumber = (name: string): boolean => /^\d+$/.test(name);
