import { type FormerTerm, judgeFormerLeader, type ProcessIdentity, type Sighting } from "#core/rules/succession.ts";
import type { System } from "./explore.ts";

/**
 * How leaders follow each other: the lock, the lease, the wait of one lease, and when the wait is left out. Time is
 * modelled here, in ticks, and nothing else is: no row, no engine. What must hold is that nobody acts once a later leader
 * has acted. Whether a former leader is gone is asked of the program's own rule.
 */

/** Every protection of the succession as a switch; a planted hole turns one off. */
export const CLOSED_SUCCESSION = {
  /** Without proof that nobody else can act, a whole lease passes first. */
  waits: true,
  /** Where the process of the former leader is looked for, it has run: same machine, same boot. */
  comparesBoot: true,
  /** Process numbers count within a namespace. */
  comparesNamespace: true,
  /** A process number proves nothing by itself, also not when it is our own. */
  pidIsNoProof: true,
  /** A leader that ended while it waited itself proves nothing about those before it. */
  asksWhetherItBegan: true,
  /** What is on record belongs to an epoch: an older version leads without writing any of it. */
  recordsNameTheirEpoch: true,
  /** The right to act begins with a write that only the newest leader can make: the answer to a campaign may be old. */
  beginsOnRecord: true,
  /** A leader that ends in order gives its right back before it says so. */
  givesBackFirst: true,
};
export type SuccessionRules = typeof CLOSED_SUCCESSION;

export interface SuccessionHole {
  readonly id: string;
  readonly title: string;
  readonly off: keyof SuccessionRules;
}

export const SUCCESSION_HOLES: readonly SuccessionHole[] = [
  { id: "S1", title: "a new leader does not wait", off: "waits" },
  { id: "S2", title: "the process is looked for on another machine than its own", off: "comparesBoot" },
  { id: "S3", title: "the process is looked for in another namespace than its own", off: "comparesNamespace" },
  {
    id: "S4",
    title: "a leader with our own process number is taken for ourselves before a restart",
    off: "pidIsNoProof",
  },
  {
    id: "S5",
    title: "the leader before was gone while it still waited for the one before it",
    off: "asksWhetherItBegan",
  },
  {
    id: "S6",
    title: "what an earlier leader recorded is taken for that of an older version",
    off: "recordsNameTheirEpoch",
  },
  { id: "S7", title: "a leader begins by an answer that may be old, and asks nobody", off: "beginsOnRecord" },
  { id: "S8", title: "a leader says that it has ended while something of it still acts", off: "givesBackFirst" },
];

/** In ticks. Longer ones add states and no orders of events: what matters is which of two ends first. */
const LEASE = 1;
/** Two places of one machine that cannot see each other's processes, and another machine. */
const PLACES = [
  { boot: "a", namespace: "a1" },
  { boot: "a", namespace: "a2" },
  { boot: "b", namespace: "a1" },
] as const;
/** Where each process runs and what number it may get. The first two could see each other; the last is of an older version. */
const SLOTS = [
  { place: 0, pids: [1], old: false },
  { place: 0, pids: [1, 2], old: false },
  { place: 1, pids: [1], old: false },
  { place: 2, pids: [1], old: false },
  { place: 2, pids: [2], old: true },
] as const;

type Stage = "idle" | "elected" | "waiting" | "ready" | "acting";

interface Process {
  readonly place: number;
  readonly pid: number;
  readonly start: number;
}

interface Leader extends Process {
  readonly slot: number;
  /** It has the program before there were records. */
  readonly old: boolean;
  readonly stage: Stage;
  readonly epoch: number;
  /** Ticks for which it may act; the clock of a frozen process goes on. */
  readonly lease: number;
  readonly wait: number;
  readonly former: Recorded | null;
}

interface Recorded {
  readonly epoch: number;
  readonly holder: (Process & { readonly epoch: number }) | null;
  readonly begun: number;
  readonly ended: number;
}

interface Turns {
  readonly leaders: readonly (Leader | null)[];
  /** The slot whose process holds the lock. */
  readonly lock: number | null;
  readonly row: Recorded;
  /** The newest epoch that has acted, and whether an older one acted after it. */
  readonly acted: number;
  readonly overlap: boolean;
  readonly nextStart: number;
  readonly left: { readonly drops: number; readonly kills: number; readonly starts: number; readonly ends: number };
}

type Step = { readonly kind: string; readonly describe: () => string; readonly to: Turns };

export function succession(rules: SuccessionRules): System<Turns> {
  return {
    initial,
    moves: (s) => [...tick(s), ...s.leaders.flatMap((leader, slot) => movesAt(rules, s, leader, slot))],
    canonical: (s) => s,
    key: (s) => JSON.stringify(s),
    violation: (s) => (s.overlap ? "IE: a leader acts although a later one has acted" : null),
    settled: (s) => s.leaders.some((one) => one !== null && one.stage === "acting" && s.lock === one.slot),
    helpful: (kind) => kind !== "kill" && kind !== "drop",
  };
}

/** The first leader acts already; how it came to that is no different from how others do. */
function initial(): Turns {
  const first: Leader = {
    ...PLACE_OF_FIRST,
    slot: 0,
    old: false,
    stage: "acting",
    epoch: 1,
    lease: LEASE,
    wait: 0,
    former: null,
  };
  return {
    leaders: SLOTS.map((_, slot) => (slot === 0 ? first : null)),
    lock: 0,
    row: { epoch: 1, holder: { ...PLACE_OF_FIRST, epoch: 1 }, begun: 1, ended: 0 },
    acted: 1,
    overlap: false,
    nextStart: 2,
    left: { drops: 1, kills: 1, starts: 2, ends: 1 },
  };
}
const PLACE_OF_FIRST: Process = { place: 0, pid: 1, start: 1 };

const name = ({ place, pid, start }: Process): string =>
  `process ${pid} of machine ${PLACES[place]?.boot}, namespace ${PLACES[place]?.namespace}, started at ${start}`;

const put = (s: Turns, slot: number, leader: Leader | null): Turns => ({
  ...s,
  leaders: s.leaders.map((one, index) => (index === slot ? leader : one)),
});

function tick(s: Turns): Step[] {
  const down = (n: number): number => Math.max(0, n - 1);
  const leaders = s.leaders.map((one) => one && { ...one, lease: down(one.lease), wait: down(one.wait) });
  return [{ kind: "tick", describe: () => "time passes", to: { ...s, leaders } }];
}

function movesAt(rules: SuccessionRules, s: Turns, leader: Leader | null, slot: number): Step[] {
  if (leader === null) return starts(s, slot);
  return [...sessionMoves(s, leader), ...termMoves(rules, s, leader)];
}

function starts(s: Turns, slot: number): Step[] {
  const { place, pids, old } = SLOTS[slot] ?? SLOTS[0];
  if (s.left.starts === 0) return [];
  const left = { ...s.left, starts: s.left.starts - 1 };
  const fresh = {
    slot,
    place,
    old,
    start: s.nextStart,
    stage: "idle",
    epoch: 0,
    lease: 0,
    wait: 0,
    former: null,
  } as const;
  const isFree = (pid: number): boolean => !s.leaders.some((one) => one?.place === place && one.pid === pid);
  return pids.filter(isFree).map((pid) => ({
    kind: "start",
    describe: () => `${name({ ...fresh, pid })}${old ? " with an older version" : ""} comes up`,
    to: put({ ...s, left, nextStart: s.nextStart + 1 }, slot, { ...fresh, pid }),
  }));
}

/** What happens to a process and to its session with the database. */
function sessionMoves(s: Turns, leader: Leader): Step[] {
  const { slot } = leader;
  const steps: Step[] = [];
  if (s.left.kills > 0) {
    const killed = put({ ...s, left: { ...s.left, kills: s.left.kills - 1 } }, slot, null);
    const lock = s.lock === slot ? null : s.lock;
    steps.push({ kind: "kill", describe: () => `${name(leader)} is killed`, to: { ...killed, lock } });
  }
  if (s.lock === slot && s.left.drops > 0) {
    const to = { ...s, lock: null, left: { ...s.left, drops: s.left.drops - 1 } };
    steps.push({ kind: "drop", describe: () => `the session of ${name(leader)} is ended, unnoticed`, to });
  }
  if (s.lock === slot && leader.stage !== "idle")
    steps.push({
      kind: "ping",
      describe: () => `${name(leader)} pings`,
      to: put(s, slot, { ...leader, lease: LEASE }),
    });
  if (s.lock !== slot && leader.stage !== "idle")
    steps.push({ kind: "lost", describe: () => `${name(leader)} learns that it lost the lock`, to: idle(s, leader) });
  if (s.lock === null && leader.stage === "idle") steps.push(campaign(s, leader));
  return steps;
}

const idle = (s: Turns, leader: Leader): Turns =>
  put(s, leader.slot, { ...leader, stage: "idle", epoch: 0, lease: 0, wait: 0, former: null });

/** The lock, and a new epoch with what its minter says of itself. */
function campaign(s: Turns, leader: Leader): Step {
  const { slot, place, pid, start, old } = leader;
  const epoch = s.row.epoch + 1;
  const row = old ? { ...s.row, epoch } : { ...s.row, epoch, holder: { place, pid, start, epoch } };
  const elected: Leader = { ...leader, stage: "elected", epoch, former: s.row };
  return {
    kind: "campaign",
    describe: () => `${name(leader)} takes the lock and epoch ${epoch}`,
    to: put({ ...s, lock: slot, row }, slot, elected),
  };
}

/** From the answer to the campaign to the end of the term. */
function termMoves(rules: SuccessionRules, s: Turns, leader: Leader): Step[] {
  const { slot, stage, epoch } = leader;
  const go = (kind: string, what: string, to: Turns): Step => ({
    kind,
    describe: () => `${name(leader)} ${what}`,
    to,
  });
  const steps: Step[] = [];
  if (stage === "elected") {
    const free = needNotWait(rules, s, leader);
    const next: Leader = {
      ...leader,
      lease: LEASE,
      stage: free ? "ready" : "waiting",
      wait: free ? 0 : LEASE,
      former: null,
    };
    steps.push(go(free ? "skip" : "wait", free ? "need not wait" : "waits for a lease", put(s, slot, next)));
  }
  const over = stage === "ready" || (stage === "waiting" && leader.wait === 0);
  if (over && leader.lease > 0 && (s.row.epoch === epoch || !rules.beginsOnRecord)) {
    const row = leader.old || s.row.epoch !== epoch ? s.row : { ...s.row, begun: epoch };
    steps.push(go("begin", "has the right to act", put({ ...s, row }, slot, { ...leader, stage: "acting" })));
  }
  if (stage === "acting" && leader.lease > 0) {
    const to = { ...s, acted: Math.max(s.acted, epoch), overlap: s.overlap || epoch < s.acted };
    steps.push(go("act", `acts, with epoch ${epoch}`, to));
  }
  if (s.lock === slot && stage !== "idle" && !leader.old && s.left.ends > 0) {
    const ended = { ...s, lock: null, row: { ...s.row, ended: epoch }, left: { ...s.left, ends: s.left.ends - 1 } };
    steps.push(go("end", "ends in order", rules.givesBackFirst ? idle(ended, leader) : ended));
  }
  return steps;
}

/** What the program would decide, with what it is told bent where a rule is left out. */
function needNotWait(rules: SuccessionRules, s: Turns, leader: Leader): boolean {
  if (!rules.waits) return true;
  if (leader.old || leader.former === null) return false;
  const { epoch, holder, begun, ended } = leader.former;
  const recorded = holder !== null && (holder.epoch === epoch || !rules.recordsNameTheirEpoch) ? holder : null;
  const isAbout = (fact: number): boolean => fact === epoch || (!rules.recordsNameTheirEpoch && fact > 0);
  const self = identityOf(leader);
  if (!rules.pidIsNoProof && recorded?.pid === leader.pid && recorded.start !== leader.start) return true;
  let former: FormerTerm = {
    epoch,
    holder: recorded === null ? null : identityOf(recorded),
    begun: isAbout(begun) || !rules.asksWhetherItBegan,
    ended: ended === epoch,
  };
  if (former.holder !== null) {
    const { bootId, machineId, pidNamespace } = self;
    if (!rules.comparesBoot) former = { ...former, holder: { ...former.holder, bootId, machineId } };
    if (!rules.comparesNamespace) former = { ...former, holder: { ...(former.holder ?? self), pidNamespace } };
  }
  return judgeFormerLeader(former, self, sighting(s, leader.place, recorded?.pid ?? 0)).verdict === "gone";
}

function identityOf({ place, pid, start }: Process): ProcessIdentity {
  const { boot, namespace } = PLACES[place] ?? PLACES[0];
  return {
    machineId: boot,
    bootId: boot,
    pidNamespace: namespace,
    networkNamespace: "net",
    timeNamespace: "time",
    pid,
    startTicks: String(start),
  };
}

/** What a look at a process number shows at this place. */
function sighting(s: Turns, place: number, pid: number): Sighting {
  const here = s.leaders.find((one) => one?.place === place && one.pid === pid);
  return here == null ? { kind: "nobody" } : { kind: "somebody", startTicks: String(here.start) };
}
