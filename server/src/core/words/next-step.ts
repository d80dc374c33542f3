import { type ConditionKey, tri } from "#core/rows/condition.ts";
import type { Ms, Operation, Workspace } from "#core/rows/workspace.ts";
import { plan, requestPending } from "#core/rules/plan.ts";
import { nextFall, type TtlDefaults } from "#core/wishes/idle.ts";
import { clockTime, duration, REMEDIES } from "./words.ts";

export interface Policy {
  readonly ttl: TtlDefaults;
  /** How long a deleted workspace can be taken out of the trash. */
  readonly trashRetentionMs: number;
}

export interface NextStep {
  readonly kind:
    | "operation_running"
    | "operation_next"
    | "retry"
    | "standby"
    | "archive"
    | "expiry"
    | "blocked"
    | "needs_person"
    | "nothing";
  readonly operation: Operation | null;
  readonly at: Ms | null;
  readonly summary: string;
}

/** What happens next and when, from the very functions that make it happen. */
export function nextStep(row: Workspace, policy: Policy, now: Ms): NextStep {
  if (row.operation !== "NONE") {
    const since = row.opStartedAt === null ? "" : ` for ${duration(now - row.opStartedAt)}`;
    return step("operation_running", row.operation, null, `${row.operation} has been running${since}.`);
  }
  if (requestPending(row)) {
    return step("operation_next", null, now, `${requestWords(row)} is asked for and begins with the next pass.`);
  }
  if (row.phase === "ERROR" && row.deletedAt === null) {
    const remedy = row.errorReason === null ? "Look at the conditions." : REMEDIES[row.errorReason];
    return step("needs_person", null, null, remedy);
  }
  const planned = plan(row, now);
  switch (planned.kind) {
    case "operate":
      return step("operation_next", planned.operation, now, `${planned.operation} is next: ${planned.why}.`);
    case "wait":
      return step("retry", null, planned.until, `${planned.why}: in ${duration(planned.until - now)}.`);
    case "look":
      return lookFirst(row, planned.at, now);
    case "rest":
      return row.deletedAt === null ? resting(row, policy, now) : afterDeletion(row, row.deletedAt, policy, now);
  }
}

const step = (kind: NextStep["kind"], operation: Operation | null, at: Ms | null, summary: string): NextStep => ({
  kind,
  operation,
  at,
  summary,
});

/** A condition that is only stale is looked at within moments; one whose probe fails blocks until it answers. */
function lookFirst(row: Workspace, keys: readonly ConditionKey[], now: Ms): NextStep {
  const failing = keys.flatMap((key) => row.conditions[key]?.unknownSince ?? []);
  if (failing.length === 0) {
    return step("operation_next", null, now, "The next step is taken once the present state has been looked at.");
  }
  const since = Math.min(...failing);
  const names = keys.filter((key) => tri(row.conditions, key) === "unknown").join(", ");
  return step("blocked", null, null, `Waiting to see ${names}, unknown since ${clockTime(since, now)}.`);
}

function resting(row: Workspace, policy: Policy, now: Ms): NextStep {
  const fall = nextFall(row, policy.ttl);
  if (fall === null) return step("nothing", null, null, stays(row));
  const when = fall.at > now ? `in ${duration(fall.at - now)}` : "any moment";
  const since = clockTime(fall.since, now);
  return fall.to === "STANDBY"
    ? step("standby", null, fall.at, `STANDBY ${when}: ${idleWords(row, fall.since)} ${since}.`)
    : step("archive", null, fall.at, `ARCHIVED ${when}: in standby since ${since}.`);
}

function idleWords(row: Workspace, since: Ms): string {
  if (since === row.keepAwakeUntil) return "kept awake until";
  return since === row.phaseChangedAt && since > row.lastAccessAt ? "running since" : "no activity since";
}

const stays = (row: Workspace): string =>
  row.phase === "RUNNING" || row.phase === "STANDBY"
    ? `It stays ${row.phase}: falling back by itself is switched off.`
    : `It stays ${row.phase} until somebody asks for something else.`;

function afterDeletion(row: Workspace, deletedAt: Ms, policy: Policy, now: Ms): NextStep {
  if (row.purge) return step("nothing", null, null, "It was deleted for good.");
  if (row.expiredAt !== null) return step("nothing", null, null, "The time for taking it out of the trash is over.");
  const at = deletedAt + policy.trashRetentionMs;
  const left = at > now ? `for another ${duration(at - now)}` : "for a few more moments";
  return step("expiry", null, at, `It can be taken out of the trash ${left}.`);
}

function requestWords(row: Workspace): string {
  switch (row.request?.action.kind) {
    case "restart":
      return "A restart";
    case "verify_archive":
      return "A restore test";
    case "restore_archive":
    case "use_archive":
      return "Another archive";
    case "start_empty":
      return "An empty home";
    default:
      return "Recovery";
  }
}
