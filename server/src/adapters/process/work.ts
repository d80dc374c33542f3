import { readdir, readFile } from "node:fs/promises";
import { inTurns } from "#adapters/runtime-parts/in-turns.ts";
import { readStat } from "#adapters/runtime-parts/process-stat.ts";
import { type Seen, seen, unseen } from "#core/rows/observation.ts";
import { areOurs, environmentOf, markOf, uidsOf } from "./proc.ts";

/** A running container, and the first process of it. */
export interface Working {
  readonly id: string;
  readonly deployment: string;
  readonly uid: number | null;
  readonly root: number;
}

export interface Work {
  readonly busyMs: number;
  readonly memoryBytes: Seen<number>;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly busyTicks: number;
}

/** The kernel tells of time in hundredths of a second, on every machine that Node runs on. */
const TICK_MS = 10;
const KERNEL = 2;
const AT_ONCE = 16;

/**
 * The time and the memory of all that belongs to these containers, in one pass over the processes of this machine. What is
 * below a container's first process is its own; what has left its parents is known by its account, where only one container
 * has that, or by its mark.
 */
export async function workOf(containers: readonly Working[]): Promise<ReadonlyMap<string, Work>> {
  if (containers.length === 0) return new Map();
  const all = await everyProcess();
  const owner = new Map<number, string>(containers.map(({ root, id }) => [root, id]));
  follow(all, owner);
  await findStrays(
    all.filter(({ pid }) => !owner.has(pid)),
    containers,
    owner,
  );
  follow(all, owner);
  const work = new Map(containers.map(({ id }) => [id, { busyMs: 0, memory: 0, counted: true }]));
  await inTurns(all, AT_ONCE, async ({ pid, busyTicks }) => {
    const own = work.get(owner.get(pid) ?? "");
    if (own === undefined) return;
    const bytes = await memoryOf(pid);
    own.busyMs += busyTicks * TICK_MS;
    if (bytes === null) own.counted = false;
    else own.memory += bytes;
  });
  return new Map(
    [...work].map(([id, { busyMs, memory, counted }]) => [
      id,
      { busyMs, memoryBytes: counted ? seen(memory) : unseen("not_counted") },
    ]),
  );
}

async function everyProcess(): Promise<Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: Process[] = [];
  await inTurns(pids, AT_ONCE, async (pid) => {
    const stat = await readStat(pid);
    if (stat !== null && !stat.dead && pid !== KERNEL && stat.parent !== KERNEL) found.push({ pid, ...stat });
  });
  return found;
}

/** Children belong to whom their parents belong to. */
function follow(all: readonly Process[], owner: Map<number, string>): void {
  for (let grew = true; grew; ) {
    grew = false;
    for (const { pid, parent } of all) {
      const of = owner.get(parent);
      if (of === undefined || owner.has(pid)) continue;
      owner.set(pid, of);
      grew = true;
    }
  }
}

async function findStrays(
  strays: readonly Process[],
  containers: readonly Working[],
  owner: Map<number, string>,
): Promise<void> {
  const marks = new Map(containers.map((one) => [Object.entries(markOf(one))[0]?.join("="), one]));
  await inTurns(strays, AT_ONCE, async ({ pid }) => {
    const uids = await uidsOf(pid);
    const [startedBy] = uids;
    const ofAccount = containers.filter(({ uid }) => uid === startedBy);
    const [only, another] = ofAccount;
    if (only !== undefined && another === undefined) return void owner.set(pid, only.id);
    // Nothing of a stranger's is read: he decides how long that takes.
    if (only === undefined && !areOurs(uids)) return;
    for (const entry of await environmentOf(pid)) {
      const marked = marks.get(entry);
      if (marked !== undefined) owner.set(pid, marked.id);
    }
  });
}

/** Its share of what several processes have in common, so that nothing is counted twice; null where the kernel does not say. */
async function memoryOf(pid: number): Promise<number | null> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  const share = kilobytes(rollup, "Pss");
  if (share !== null) return share;
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => null);
  // It has ended meanwhile, and has none.
  return status === null ? 0 : kilobytes(status, "VmRSS");
}

function kilobytes(text: string, name: string): number | null {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1];
  return found === undefined ? null : Number(found) * 1_024;
}
