import { type Bounds, isRoutable, type Rules } from "./rules.ts";
import { contentOf, isOver, type State } from "./state.ts";

export const INVARIANTS = {
  I1: "The newest acknowledged data is in some volume or object, unless purged or expired.",
  I1r: "An archive discarded by a reset survives until its own retention ends, unless purged.",
  I2: "The home shown to the user is the newest one; empty only after a reset that was carried out.",
  I3: "A row without an operation leads to the newest data.",
  I4: "A deleted workspace is not reachable.",
  I6: "The archive that a row relies on was verified: it is neither damaged nor partial.",
  I7: "Nothing is destroyed while the row names it.",
  I9: "Nobody else has a home while a job that prepares it writes to it.",
  I22: "What the row says about its repository is true of the home it leads to.",
  I18: "A lost home is loud: nothing takes its place before a person decides.",
  IW: "Neither the TTL nor a wake overrides a newer wish.",
} as const;

/** How often each invariant was really put to a test, with its condition met; one never tested proves nothing. */
export type Tested = Record<keyof typeof INVARIANTS, number>;

export function untested(): Tested {
  return { I1: 0, I1r: 0, I2: 0, I3: 0, I4: 0, I6: 0, I7: 0, I9: 0, I22: 0, I18: 0, IW: 0 };
}

export function findViolation(rules: Rules, bounds: Bounds, s: State, tested: Tested): string | null {
  const { row, oracle, container } = s;
  if (oracle.broken !== "") return oracle.broken;
  const routable = isRoutable(rules, s);
  const reachable = container !== null && (routable || container.connected);
  if (row.deleted && container !== null) {
    tested.I4 += 1;
    if (reachable) return "I4: a deleted workspace is reachable";
  }
  const trashLost = findLostTrash(s, tested);
  if (trashLost !== null) return trashLost;
  countStepInvariants(s, tested);
  const crowded = findCrowd(s, tested);
  if (crowded !== null) return crowded;
  if (oracle.diskLost) {
    tested.I18 += 1;
    if (reachable) return "I18: the user is shown a home in place of the one that was lost";
  }
  if (isOver(row) || oracle.diskLost) return null;
  if (bounds.onlyWithData && oracle.newest === 0) return null;
  return judgeHome(s, reachable, tested);
}

function judgeHome(s: State, reachable: boolean, tested: Tested): string | null {
  const { row, oracle, container, volumes, objects } = s;
  const { newest } = oracle;
  if (newest > 0) {
    tested.I1 += 1;
    const somewhere = volumes.some((v) => v.content === newest) || objects.some((o) => o.content === newest);
    if (!somewhere) return `I1: v${newest} is nowhere any more`;
  }
  // The row cannot lead to what the store lost; what counts is that a copy is kept for a person to find.
  if (oracle.storeLost) return null;
  const untruth = findUntruth(s, tested);
  if (untruth !== null) return untruth;
  if (reachable && container !== null) {
    tested.I2 += 1;
    const shown = contentOf(volumes, container.volume);
    if (shown !== newest) return `I2: the user is shown ${words(shown)}, the newest is ${words(newest)}`;
  }
  if (row.volume === 0 && row.archive !== 0) {
    tested.I6 += 1;
    const relied = contentOf(objects, row.archive);
    if (relied !== undefined && relied < 0)
      return `I6: the row relies on archive ${row.archive}, which is ${words(relied)}`;
  }
  if (row.operation === "NONE") {
    tested.I3 += 1;
    let led: number | undefined = 0;
    if (row.volume !== 0) led = contentOf(volumes, row.volume);
    else if (row.archive !== 0) led = contentOf(objects, row.archive);
    if (led !== newest) return `I3: the settled row leads to ${words(led)}, the newest is ${words(newest)}`;
  }
  return null;
}

/** A job that prepares has begun to write; it outlives whoever launched it. */
function findCrowd(s: State, tested: Tested): string | null {
  for (const job of s.jobs) {
    if (job.kind !== "prepare" || job.read === null) continue;
    tested.I9 += 1;
    if (s.container?.volume === job.volume) return `I9: a container has volume ${job.volume} while it is prepared`;
    const other = s.jobs.find((one) => one !== job && one.volume === job.volume && one.read !== null && !one.late);
    if (other !== undefined) return `I9: a job (${other.kind}) has volume ${job.volume} while it is prepared`;
  }
  return null;
}

function findUntruth({ row, volumes, objects }: State, tested: Tested): string | null {
  const home = row.volume !== 0 ? volumes.find((x) => x.id === row.volume) : objects.find((x) => x.id === row.archive);
  if (!row.ready || home === undefined) return null;
  tested.I22 += 1;
  const there = (home.projects & (1 << row.noted)) !== 0;
  return there ? null : `I22: the row says that the project of request ${row.noted} is there, and it is not`;
}

function findLostTrash(s: State, tested: Tested): string | null {
  if (s.row.deleted && s.row.purge) return null;
  for (const x of s.trash) {
    if (x.over || x.holds === 0) continue;
    tested.I1r += 1;
    if (contentOf(s.objects, x.id) !== x.holds)
      return `I1r: discarded archive ${x.id} (v${x.holds}) was lost before its time`;
  }
  return null;
}

/** These two are judged by the step that could break them; a state in which that step is next is a test. */
function countStepInvariants(s: State, tested: Tested): void {
  if (s.gc !== null || s.reaping !== 0) tested.I7 += 1;
  if (s.ttl?.outdated === true) tested.IW += 1;
}

function words(content: number | undefined): string {
  if (content === undefined) return "nothing";
  if (content === 0) return "an empty home";
  return ["an image's files", "damaged", "a partial home"][content + 3] ?? `v${content}`;
}
