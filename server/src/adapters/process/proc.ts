import { readdir, readFile, stat } from "node:fs/promises";

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
 * With a uid, only processes of that account or of root count: nobody can join a container that is not his. With
 * `alone`, the account has no other container here, and all its processes are this one's.
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
  const mayBelong = (entry: SeenProcess) => uid === null || entry.uid === uid || entry.uid === 0;
  const found = new Map(
    all
      .filter((entry) => (mayBelong(entry) && entry.environ.includes(mark)) || (alone && entry.uid === uid))
      .map((entry) => [entry.pid, entry]),
  );
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
  readonly uid: number;
  readonly startTicks: string;
  readonly environ: readonly string[];
}

async function readProcess(pid: number): Promise<SeenProcess | null> {
  const seen = await readStat(pid);
  if (seen === null || seen.dead) return null;
  try {
    const [info, environ] = await Promise.all([stat(`/proc/${pid}`), readFile(`/proc/${pid}/environ`, "latin1")]);
    return { pid, parent: seen.parent, uid: info.uid, startTicks: seen.startTicks, environ: environ.split("\0") };
  } catch {
    // Not ours to read, or ended meanwhile: then it is not one of ours either.
    return null;
  }
}

async function readStat(pid: number): Promise<{ parent: number; startTicks: string; dead: boolean } | null> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return null;
    throw error;
  }
  // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields;
  const startTicks = fields[19];
  if (state === undefined || parent === undefined || startTicks === undefined) {
    throw new Error(`/proc/${pid}/stat has an unknown form`);
  }
  return { parent: Number(parent), startTicks, dead: state === "Z" || state === "X" };
}

let knownBootId: Promise<string> | undefined;
function bootId(): Promise<string> {
  knownBootId ??= readFile("/proc/sys/kernel/random/boot_id", "utf8").then((text) => text.trim());
  return knownBootId;
}

const isNumber = (name: string): boolean => /^\d+$/.test(name);
