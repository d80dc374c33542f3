import type { ListedColumns, OperationName } from "#core/rows/workspace.ts";
import { OPERATIONS, type OperationTable } from "./operations.ts";

/** How much may be under way at once. */
export interface Room {
  /** Of what begins a home or a container: it is work for the processor. */
  readonly maxStarts: number;
  /** After this long a start only waits, for an image or for an IDE that does not come up, and its place is another's. */
  readonly startingMs: number;
  /** Of what moves homes: disk and network are shared. */
  readonly maxStorageJobs: number;
  /** Of everything. */
  readonly maxOperations: number;
}

export interface Work {
  readonly operation: OperationName;
  /** Somebody sits and waits for the workspace to run. Everything else is housekeeping. */
  readonly awaited: boolean;
}

export interface WorkUnderWay extends Work {
  readonly ageMs: number;
}

export interface WorkInLine extends Work {
  readonly id: string;
  /** Since it was first asked for, not since it last came to the line. */
  readonly waitedMs: number;
}

/** What has waited for so long goes like what somebody waits for, one at a time in each lane: nothing waits for ever. */
export const PATIENCE_MS = 60_000;

const PER_CORE = 2;

/** Two for each core keep a machine busy while some of them wait for a disk; more of them only make each other slow. */
export function roomOn(cores: number): Pick<Room, "maxStarts" | "maxStorageJobs"> {
  const atOnce = Math.max(2, PER_CORE * Math.floor(cores));
  return { maxStarts: atOnce, maxStorageJobs: Math.min(atOnce, MOST_STORAGE_JOBS) };
}

/** Many cores do not make a disk or a network faster. */
const MOST_STORAGE_JOBS = 16;

/**
 * Where nodes of their own do the work, this machine's cores say nothing about it: a start is a handful of calls and then
 * waiting, and who finds no node waits in the cluster's own line. Still bounded: a whole company comes at nine.
 */
const ON_NODES = { maxStarts: 32, maxStorageJobs: MOST_STORAGE_JOBS } as const;

export const roomFor = (runtimeKind: string, cores: number): Pick<Room, "maxStarts" | "maxStorageJobs"> =>
  runtimeKind === "kubernetes" ? ON_NODES : roomOn(cores);

export const isAwaited = ({ desiredState, deletedAt }: Pick<ListedColumns, "desiredState" | "deletedAt">): boolean =>
  desiredState === "RUNNING" && deletedAt === null;

/**
 * Three lanes, so that nothing of one kind ever waits for another: what starts, what moves homes, and the rest, which is
 * bounded by the whole only. Of each bound a part is kept free for what somebody waits for.
 */
export function hasRoom(
  { operation, awaited }: Work,
  underWay: readonly WorkUnderWay[],
  room: Room,
  table: OperationTable = OPERATIONS,
): boolean {
  if (underWay.length >= (awaited ? room.maxOperations : room.maxOperations - Math.floor(room.maxOperations / 4)))
    return false;
  const lane = laneOf(operation, table);
  if (lane === "rest") return true;
  const max = lane === "start" ? room.maxStarts : room.maxStorageJobs;
  const same = underWay.filter((work) => laneOf(work.operation, table) === lane);
  const busy = lane === "start" ? same.filter((work) => work.ageMs < room.startingMs) : same;
  // However few may move: one place is never housekeeping's.
  return busy.length < (awaited ? Math.max(2, max) : Math.max(1, max - 1));
}

type Lane = "start" | "storage" | "rest";

function laneOf(operation: OperationName, table: OperationTable): Lane {
  const { job, makes } = table[operation];
  if (job === "storage") return "storage";
  return makes === "container" || makes === "home" ? "start" : "rest";
}

/**
 * Whose turn it is: what people wait for first, who asked first before who asked later. Housekeeping that was patient for long
 * enough takes a place of theirs only where no other housekeeping is under way: a hundred of it, all of which hang, leave
 * people their place, and people leave it one.
 */
export function turnOf(line: readonly WorkInLine[], underWay: readonly WorkUnderWay[], room: Room): WorkInLine[] {
  const taken = [...underWay];
  const isFirst = ({ awaited, waitedMs }: WorkInLine): boolean => awaited || waitedMs >= PATIENCE_MS;
  const ordered = line.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || b.waitedMs - a.waitedMs);
  const turn: WorkInLine[] = [];
  for (const work of ordered) {
    const alone = !taken.some((other) => !other.awaited && sameLane(other, work));
    const called = { ...work, awaited: work.awaited || (isFirst(work) && alone) };
    if (!hasRoom(called, taken, room)) continue;
    taken.push({ ...work, ageMs: 0 });
    turn.push(called);
  }
  return turn;
}

const sameLane = (one: Work, other: Work): boolean =>
  laneOf(one.operation, OPERATIONS) === laneOf(other.operation, OPERATIONS);

/** When the next place of a start is free although its start is still under way; Infinity when none will be. */
export function placeFreeInMs(underWay: readonly WorkUnderWay[], room: Room): number {
  const left = underWay.map((work) => room.startingMs - work.ageMs).filter((ms) => ms > 0);
  return left.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...left);
}

/**
 * How many homes may move at once after one did, or did not. What cannot be reached is asked by half as many, and by one
 * more each time that it answers: a store that is slow to recover is not kept down by whoever waits for it.
 */
export function storageJobsAfter(limit: number, reached: boolean, room: Pick<Room, "maxStorageJobs">): number {
  return reached ? Math.min(room.maxStorageJobs, limit + 1) : Math.max(1, Math.floor(limit / 2));
}
