import type { Rules } from "./rules.ts";
import {
  BUDGETS,
  DESIRED,
  type Driver,
  FIXED_NAME,
  has,
  type Id,
  type Job,
  OPERATIONS,
  OUTCOMES,
  STAGES,
  type State,
} from "./state.ts";

/**
 * Two states that differ only in the names of attempts, volumes and archives, or in facts that nobody will ever look at,
 * have the same future. Exploring one of them is enough, and it is what makes an unbounded supply of names finite.
 */
export function canonical(rules: Rules, s: State): State {
  return withNamesOnly(withoutDeadFacts(rules, s));
}

/** The half of it that needs no argument: names are renamed, nothing is left out. */
export function withNamesOnly(s: State): State {
  return renamed(s, namesInOrder(s));
}

function withoutDeadFacts(rules: Rules, s: State): State {
  const row = { ...s.row };
  const idle = row.operation === "NONE";
  const attemptMatters = !idle || s.zombies.some((z) => z.current && z.attempt === row.attempt);
  if (!attemptMatters) row.attempt = 0;
  if (idle) row.owned = true;
  if (rules.markerIsNoProof) row.marker = 0;
  if (s.container?.instance !== row.endpoint) row.endpoint = 0;
  const zombies = rules.fence ? s.zombies.filter((z) => canStillAct(s, z)) : s.zombies;
  return {
    ...s,
    row,
    zombies: zombies.map((z) => (isAnonymous(rules, z) ? { ...z, attempt: 0 } : z)),
    trash: s.trash.filter((x) => !x.over || has(s.objects, x.id)),
    marks: s.marks.filter((id) => has(s.objects, id)),
  };
}

/** A deposed driver whose only steps left are database writes will be refused; it might as well be gone. */
function canStillAct(s: State, zombie: Driver): boolean {
  if (zombie.current && zombie.attempt === s.row.attempt) return true;
  if (zombie.stage === "claim" || zombie.stage === "commit") return false;
  return zombie.stage !== "verify" || s.left.reruns > 0;
}

function isAnonymous(rules: Rules, zombie: Driver): boolean {
  return rules.fence && !zombie.current && (zombie.operation === "STOPPING" || zombie.operation === "DELETING");
}

/** New names by order of first appearance, walking the state in an order that does not depend on the old names. */
function namesInOrder(s: State): Map<Id, Id> {
  const names = new Map<Id, Id>([
    [0, 0],
    [FIXED_NAME, FIXED_NAME],
  ]);
  const meet = (...ids: readonly Id[]): void => {
    for (const id of ids) if (!names.has(id)) names.set(id, names.size);
  };
  const { row, container, gc } = s;
  meet(row.volume, row.archive, row.attempt, row.archiveAttempt, row.marker, row.endpoint);
  for (const d of [s.leader, ...[...s.zombies].sort(byDriver)]) {
    if (d !== null) meet(d.attempt, d.volume, d.archive, d.instance);
  }
  if (container !== null) meet(container.instance, container.volume, container.attempt);
  for (const j of [...s.jobs].sort(byJob)) meet(j.attempt, j.volume, j.archive);
  meet(s.reaping, s.routed);
  if (gc !== null) meet(...("doomed" in gc ? [gc.doomed] : gc.spared));
  const rest = [...s.volumes, ...s.objects, ...s.trash].map((x) => x.id).filter((id) => !names.has(id));
  if (rest.length > 1) rest.sort((a, b) => signature(s, a) - signature(s, b));
  meet(...rest);
  return names;
}

const byDriver = (a: Driver, b: Driver): number => driverRank(a) - driverRank(b);
const driverRank = (d: Driver): number =>
  (OPERATIONS.indexOf(d.operation) * STAGES.length + STAGES.indexOf(d.stage)) * 2 + Number(d.current);
const byJob = (a: Job, b: Job): number => jobRank(a) - jobRank(b);
const jobRank = (j: Job): number =>
  ["archive", "restore", "prepare"].indexOf(j.kind) * 100 + (j.late ? 50 : 0) + ((j.read ?? -4) + 4);

/** What can be said of a name without using it, for those that occur in the stores alone. */
function signature(s: State, id: Id): number {
  const inStore = (list: State["volumes"]): number => {
    const found = list.find((x) => x.id === id);
    return (found?.content ?? -4) + 4 + 16 * (found?.projects ?? 0);
  };
  const trashed = s.trash.find((x) => x.id === id);
  const trash = trashed === undefined ? 0 : 1 + Number(trashed.over) + 2 * trashed.holds;
  return inStore(s.volumes) + 1024 * (inStore(s.objects) + 1024 * (trash + 32 * Number(s.marks.includes(id))));
}

function renamed(s: State, names: Map<Id, Id>): State {
  const n = (id: Id): Id => names.get(id) ?? 0;
  const byId = (a: { readonly id: Id }, b: { readonly id: Id }): number => a.id - b.id;
  const rename = <T extends { readonly id: Id }>(list: readonly T[]): readonly T[] =>
    list.length === 0 ? list : list.map((x) => ({ ...x, id: n(x.id) })).sort(byId);
  const driver = (d: Driver): Driver => ({
    ...d,
    attempt: n(d.attempt),
    volume: n(d.volume),
    archive: n(d.archive),
    instance: n(d.instance),
  });
  const { row, container, gc } = s;
  return {
    ...s,
    row: {
      ...row,
      volume: n(row.volume),
      archive: n(row.archive),
      attempt: n(row.attempt),
      archiveAttempt: n(row.archiveAttempt),
      marker: n(row.marker),
      endpoint: n(row.endpoint),
    },
    volumes: rename(s.volumes),
    objects: rename(s.objects),
    trash: rename(s.trash),
    marks: s.marks.map(n).sort((a, b) => a - b),
    container: container && {
      ...container,
      instance: n(container.instance),
      volume: n(container.volume),
      attempt: n(container.attempt),
    },
    jobs: s.jobs
      .map((j) => ({ ...j, attempt: n(j.attempt), volume: n(j.volume), archive: n(j.archive) }))
      .sort((a, b) => byJob(a, b) || a.attempt - b.attempt),
    leader: s.leader && driver(s.leader),
    zombies: s.zombies.map(driver).sort((a, b) => byDriver(a, b) || a.attempt - b.attempt),
    gc: gc && ("doomed" in gc ? { doomed: n(gc.doomed) } : { spared: gc.spared.map(n).sort((a, b) => a - b) }),
    reaping: n(s.reaping),
    routed: n(s.routed),
    nextId: names.size,
  };
}

const page = Buffer.alloc(512);

/** A canonical state in a few dozen bytes. Lists are written with their length, so no two states read the same. */
export function keyOf(s: State): string {
  let end = 0;
  const write = (...values: readonly number[]): void => {
    for (const v of values) page[end++] = v;
  };
  const { row, container, gc, ttl, oracle } = s;
  const flags = [
    row.deleted,
    row.purge,
    row.expired,
    row.owned,
    row.error,
    oracle.diskLost,
    oracle.broken !== "",
    oracle.storeLost,
  ];
  write(flags.reduce((bits, flag, i) => bits + (flag ? 1 << i : 0), 0));
  write(DESIRED.indexOf(row.desired), OPERATIONS.indexOf(row.operation), row.attempt, row.volume, row.archive);
  write(Number(row.skipped) + 2 * Number(row.ready) + 4 * Number(row.restart), row.wanted, row.noted);
  write(row.archiveAttempt, row.marker, row.endpoint, oracle.versions, oracle.newest, s.reaping, s.routed);
  for (const list of [s.volumes, s.objects]) {
    write(list.length);
    for (const x of list) write(x.id, x.content + 4, x.projects);
  }
  write(s.trash.length);
  for (const x of s.trash) write(x.id, Number(x.over), x.holds);
  write(s.marks.length, ...s.marks);
  if (container === null) write(0);
  else write(container.instance, container.volume, container.attempt, Number(container.connected));
  write(s.jobs.length);
  for (const j of s.jobs) write(jobRank(j), j.attempt, j.volume, j.archive, j.projects);
  write((s.leader === null ? 0 : 1) + 2 * s.zombies.length);
  for (const d of s.leader === null ? s.zombies : [s.leader, ...s.zombies]) {
    write(driverRank(d), d.attempt, d.volume, d.archive, d.instance);
    write(d.version, OUTCOMES.indexOf(d.outcome));
  }
  if (gc === null) write(0);
  else if ("doomed" in gc) write(1, gc.doomed);
  else write(2 + gc.spared.length, ...gc.spared);
  if (ttl === null) write(0);
  else write(1 + DESIRED.indexOf(ttl.to) * 4 + (ttl.fresh ? 2 : 0) + (ttl.outdated ? 1 : 0));
  for (const budget of BUDGETS) write(s.left[budget]);
  return page.toString("latin1", 0, end);
}
