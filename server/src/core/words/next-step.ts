import { nextDemotion, type TtlDefaults } from "#core/requests/idle.ts";
import { type ConditionKey, tri } from "#core/rows/condition.ts";
import { type Fields, moment } from "#core/rows/meaning.ts";
import type { ListedColumns, Ms, Operation } from "#core/rows/workspace.ts";
import { plan, plansAlike, requestPending } from "#core/rules/plan.ts";

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
  /** Why; with needs_person the reason of the error. */
  readonly code: string;
  readonly fields: Fields;
}

/** What happens next and when, from the very functions that make it happen. */
export function nextStep(row: ListedColumns, policy: Policy, now: Ms): NextStep {
  if (row.operation !== "NONE") {
    const since = row.opStartedAt === null ? {} : { since: moment(row.opStartedAt) };
    return step("operation_running", row.operation, null, "operation_running", since);
  }
  if (requestPending(row)) {
    return step("operation_next", null, now, "request_next", { request: row.request?.action.kind ?? null });
  }
  if (isStuck(row)) {
    return step("needs_person", null, null, row.errorReason ?? "look_at_conditions");
  }
  const planned = plan(row, now);
  switch (planned.kind) {
    case "operate":
      return step("operation_next", planned.operation, now, planned.why.code, planned.why.fields);
    case "wait":
      return step("retry", null, planned.until, "retry", { operation: planned.operation });
    case "look":
      return lookFirst(row, planned.at, now);
    case "rest":
      return row.deletedAt === null ? resting(row, policy) : afterDeletion(row, row.deletedAt, policy);
  }
}

/** Whether what happens next is the same whenever it is asked, as long as the row does not change. */
export const isTimeless = (row: ListedColumns): boolean =>
  row.operation !== "NONE" || (!requestPending(row) && (isStuck(row) || plansAlike(row)));

const isStuck = (row: ListedColumns): boolean => row.phase === "ERROR" && row.deletedAt === null;

const step = (
  kind: NextStep["kind"],
  operation: Operation | null,
  at: Ms | null,
  code: string,
  fields: Fields = {},
): NextStep => ({ kind, operation, at, code, fields });

/** A condition that is only stale is looked at within moments; one whose probe fails blocks until it answers. */
function lookFirst(row: ListedColumns, keys: readonly ConditionKey[], now: Ms): NextStep {
  const failing = keys.flatMap((key) => row.conditions[key]?.unknownSince ?? []);
  if (failing.length === 0) {
    return step("operation_next", null, now, "look_first");
  }
  const since = Math.min(...failing);
  const conditions = keys.filter((key) => tri(row.conditions, key) === "unknown");
  return step("blocked", null, null, "waiting_to_see", { conditions, since: moment(since) });
}

function resting(row: ListedColumns, policy: Policy): NextStep {
  const demotion = nextDemotion(row, policy.ttl);
  if (demotion === null) return step("nothing", null, null, staysBecause(row), { phase: row.phase });
  const since = { since: moment(demotion.since) };
  return demotion.to === "STANDBY"
    ? step("standby", null, demotion.at, countedFrom(row, demotion.since), since)
    : step("archive", null, demotion.at, "in_standby_since", since);
}

function countedFrom(row: ListedColumns, since: Ms): string {
  if (since === row.keepAwakeUntil) return "kept_awake_until";
  return since === row.phaseChangedAt && since > row.lastAccessAt ? "running_since" : "idle_since";
}

const staysBecause = (row: ListedColumns): string =>
  row.phase === "RUNNING" || row.phase === "STANDBY" ? "demotion_off" : "stays";

function afterDeletion(row: ListedColumns, deletedAt: Ms, policy: Policy): NextStep {
  if (row.purge) return step("nothing", null, null, "deleted_for_good");
  if (row.expiredAt !== null) return step("nothing", null, null, "trash_over");
  return step("expiry", null, deletedAt + policy.trashRetentionMs, "in_trash");
}
