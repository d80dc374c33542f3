import type { Reason } from "#core/rows/meaning.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { OperationName, Workspace } from "#core/rows/workspace.ts";
import { type Passed, pass, planAtRest } from "#core/rules/pass.ts";
import { isSettled, type Plan, requestPending } from "#core/rules/plan.ts";
import { LONGEST_BACKOFF_MS } from "#core/rules/retry.ts";
import type { Drivers } from "./drivers.ts";
import { growHome } from "./home-size.ts";
import { AttemptJourney } from "./journey.ts";
import type { Line } from "./line.ts";
import { look } from "./look.ts";
import { heedWord } from "./node-off.ts";
import { removeLeftovers } from "./operations/context.ts";
import type { RestoreTests } from "./restore-test.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine } from "./trust.ts";

const LAST_WORDS = 30;

/** When to look at this workspace again; null leaves it to hints and sweeps. "turn": when there is room for what it needs. */
export type Next = number | null | "turn";

/** What works for a term, and who may begin. */
export interface Crew {
  readonly line: Line;
  readonly drivers: Drivers;
  readonly tests: RestoreTests;
}

/** One workspace, once: observe → judge → plan → execute → record. */
export async function reconcile(term: TermContext, crew: Crew, id: string): Promise<Next> {
  const { line, drivers, tests } = crew;
  const { settings, clock } = term.deps;
  const begunAt = clock.nowMs();
  const row = await term.store.read(id);
  if (row === null) return null;
  // Before the drivers: one of them may be waiting for just this.
  if (await heedWord(term, row)) return 0;
  if (drivers.has(id)) return settings.operationPollMs;
  if (row.operation !== "NONE") return await takeOver(term, crew, row);
  if (requestPending(row) && (await answer(term, tests, row))) return 0;
  const observation = await look(term, row, archiveIsDue(term, row));
  const why = term.deps.decisions.takenAway(row, observation);
  if (why !== null) return await rest(term, row, why);
  // Nobody hears a silent node's container being asked to end: waiting for it here would keep all else from being seen.
  const isRemovable = (one: ContainerSeen): boolean =>
    one.silentNode === undefined && term.deps.decisions.isLeftover(row, one);
  if (observation.containers.known && observation.containers.value.some(isRemovable)) {
    // With the home asleep, leftovers go by STOPPING, which also frees their ports; anywhere else they go right here.
    if (row.phase !== "STANDBY" && row.phase !== "DELETING") {
      await removeLeftovers({ term, world: term.world, row });
      return 0;
    }
  }
  const next = await record(term, line, row, observation);
  if (next === null) return 0;
  if (next.row.operation !== "NONE") {
    new AttemptJourney(term, next.row).claimed(begunAt);
    drivers.start(next.row);
    return settings.operationPollMs;
  }
  return next.mustWait ? "turn" : await dueAfter(term, next);
}

/**
 * What the engine took away rests until somebody comes. Written like the request it is, before anything else is made of what
 * was seen: from then on it is a workspace that should be on standby, whoever leads.
 */
async function rest(term: TermContext, { id, desiredVersion }: Workspace, why: Reason): Promise<Next> {
  const { requestStore, decisions } = term.deps;
  await requestStore.change(id, { countSlots: false }, (facts) =>
    decisions.requestRest({ ...facts, desiredVersion, why }),
  );
  return 0;
}

interface Recorded {
  readonly row: Workspace;
  /** What was planned for that row, from what was seen. */
  readonly plan: Plan;
  /** There was no room to begin it. */
  readonly mustWait: boolean;
}

/** Judge, plan and claim in one transaction; nothing is written when there is nothing to say. Null: the row moved. */
async function record(
  term: TermContext,
  line: Line,
  row: Workspace,
  observation: Awaited<ReturnType<typeof look>>,
): Promise<Recorded | null> {
  const { ids, decisions } = term.deps;
  const { databaseClock } = term;
  const { rowVersion } = row;
  const { epoch } = term.store;
  let mustWait = false;
  const input = {
    observation,
    rowVersion,
    attempt: ids.uuid(),
    epoch,
    hasRoom: (operation: OperationName) => {
      mustWait = !line.ask(row, operation);
      return !mustWait;
    },
  };
  const resting = planAtRest(row, databaseClock.now(), input, decisions);
  if (resting !== null && databaseClock.isKnown) return { row, plan: resting, mustWait };
  let passed = null as Passed | null;
  const after = await term.store.mutate(row.id, (facts) => {
    databaseClock.saw(facts.now);
    passed = pass(facts, input, decisions);
    return passed?.mutation ?? null;
  });
  return passed === null ? null : { row: after ?? row, plan: passed.plan, mustWait };
}

/** The operation of a leader that is gone, or of an attempt that could not finish its own commit. */
async function takeOver(term: TermContext, { line, drivers }: Crew, row: Workspace): Promise<Next> {
  const { ids, decisions, settings } = term.deps;
  if (row.opId === null || row.operation === "NONE") return settings.operationPollMs;
  if (!line.ask(row, row.operation)) return "turn";
  // While the end of the old job cannot be confirmed this rejects, and the operation stays as it is.
  await requireOurEngine(term);
  await term.world.jobs.end(row.id);
  const input = { opId: row.opId, freshOpId: ids.uuid(), epoch: term.store.epoch };
  const taken = await term.store.mutate(row.id, (facts) => decisions.takeOver(facts, input));
  if (taken === null) return 0;
  drivers.start(taken);
  return settings.operationPollMs;
}

async function answer(term: TermContext, tests: RestoreTests, row: Workspace): Promise<boolean> {
  if (row.request?.action.kind === "verify_archive") {
    tests.start(row, row.request.version, row.request.action.opId);
    return false;
  }
  if (row.request?.action.kind === "grow_home") {
    await growHome(term, row, row.request.version, row.request.action.bytes);
    return true;
  }
  return (await term.store.mutate(row.id, (facts) => term.deps.decisions.answerRequest(facts))) !== null;
}

/** Looked at when it is planned from, when it is in doubt, and now and then to notice a loss early. */
function archiveIsDue(term: TermContext, row: Workspace): boolean {
  if (row.archiveKey === null) return false;
  // Not asked at all then: what was known of it is unknown now.
  if (term.trust.store !== null) return true;
  const { settings, decisions } = term.deps;
  const now = term.databaseClock.now();
  const condition = row.conditions["storage.archive_ready"];
  if (condition === undefined || condition.unknownSince !== undefined) return true;
  if (row.homeVolume === null && !condition.status) return true;
  // Only a home that is in its archive and is requested elsewhere can be rebuilt from it.
  if (row.homeVolume === null && !isSettled(row)) {
    const next = decisions.plan(row, now);
    if (next.kind === "look" && next.at.includes("storage.archive_ready")) return true;
  }
  return row.phase === "ARCHIVED" && now - (condition.checkedAt ?? 0) >= settings.archiveCheckIntervalMs;
}

async function dueAfter(term: TermContext, { row, plan }: Recorded): Promise<Next> {
  const { settings, decisions } = term.deps;
  const now = term.databaseClock.now();
  if (row.phase === "STANDBY" && decisions.isCrashLooping(row, now)) return await giveUp(term, row);
  if (isSettled(row) && !(term.trust.engine === null && doubtful(row))) return null;
  // A clock that jumped makes no wait longer than the longest backoff.
  return plan.kind === "wait" ? Math.min(Math.max(0, plan.until - now), LONGEST_BACKOFF_MS) : settings.convergePollMs;
}

/**
 * Something could not be seen: the last answer is shown, and it is looked for until there is a new one. While nothing of the engine
 * can be believed that is the sweep's: it notices for all of them at once when that has changed.
 */
const doubtful = (row: Workspace): boolean =>
  Object.values(row.conditions).some((condition) => condition.unknownSince !== undefined);

async function giveUp(term: TermContext, row: Workspace): Promise<Next> {
  const { runtime } = term.world;
  const [container] = await runtime.inspect(row.id);
  const words = container === undefined ? "" : await runtime.logs(container.id, LAST_WORDS).catch(() => "");
  await term.store.mutate(row.id, (facts) => term.deps.decisions.giveUpOnContainer(facts, words));
  return 0;
}
