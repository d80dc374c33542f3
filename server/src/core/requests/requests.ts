import { moment, type Reason } from "#core/rows/meaning.ts";
import type { EventLine } from "#core/rows/mutation.ts";
import type { DesiredState, Ms, RequestAction, RequestColumns, Workspace } from "#core/rows/workspace.ts";
import { isEmptied } from "#core/rules/phase.ts";
import { requestPending } from "#core/rules/plan.ts";
import { type ActivityGap, type Demotion, isIdle, type TtlDefaults, waitsUntil } from "./idle.ts";
import { type Limits, type Slots, slotFor } from "./limits.ts";

/** Who requests: a person by user id, or a part of the system by its name. Goes into the history. */
export type Actor = string;

export const REFUSALS = [
  "NOT_FOUND",
  "DELETED",
  "RESET_PENDING",
  "RUNNING_LIMIT_EXCEEDED",
  "CONFIRMATION_MISMATCH",
  "UNDELETE_EXPIRED",
  "UNDELETE_PURGED",
  "NOT_DELETED",
  "REQUEST_PENDING",
  "NOT_IN_ERROR",
  "CHOICE_REQUIRED",
  "OPERATION_IN_PROGRESS",
  "WRONG_PHASE",
  "NOTHING_TO_WAKE",
  "NODE_NOT_SILENT",
  "NODE_MISMATCH",
  "SIZE_NOT_LARGER",
  "SIZE_ABOVE_LIMIT",
  "NO_REPOSITORY",
] as const;
export type Refusal = (typeof REFUSALS)[number];

export type RequestOutcome = { readonly accepted: true } | { readonly accepted: false; readonly refusal: Refusal };

export type Verdict =
  | { readonly write: Partial<RequestColumns>; readonly events: readonly EventLine[]; readonly result: RequestOutcome }
  | { readonly write: null; readonly result: RequestOutcome };

export interface RequestInput {
  readonly row: Workspace | null;
  readonly now: Ms;
  readonly slots: Slots;
}

export const refuse = (refusal: Refusal): Verdict => ({ write: null, result: { accepted: false, refusal } });

export const accept = (
  row: Workspace,
  write: Partial<RequestColumns>,
  actor: Actor,
  kind: string,
  why: Reason,
): Verdict => ({
  write,
  events: [
    {
      actor,
      kind,
      from: row.desiredState,
      to: write.desiredState ?? row.desiredState,
      code: why.code,
      details: { ...why.fields },
    },
  ],
  result: { accepted: true },
});

/** Every accepted request counts, also a repeated one: whoever read before it must notice. */
const requested = (
  row: Workspace,
  desiredState: DesiredState,
): Pick<RequestColumns, "desiredState" | "desiredVersion"> => ({
  desiredState,
  desiredVersion: row.desiredVersion + 1,
});

/** What a person may ask a workspace to be. */
export type Level = "RUNNING" | "STANDBY" | "ARCHIVED";

export type Creation =
  | { readonly refuse: "RUNNING_LIMIT_EXCEEDED" }
  | { readonly refuse: null; readonly events: readonly EventLine[] };

/** A new workspace that is to run needs a slot like any other. */
export function requestCreate(slots: Slots, level: Level, limits: Limits, actor: Actor): Creation {
  if (level === "RUNNING" && !slotFor(null, slots, limits).free) return { refuse: "RUNNING_LIMIT_EXCEEDED" };
  return { refuse: null, events: [{ actor, kind: "created", from: null, to: level, code: "created" }] };
}

/** PATCH desired_state. Accepted at any time, also while an operation runs: planning uses the newest request. */
export function requestLevel({ row, now, slots }: RequestInput, level: Level, limits: Limits, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (level === "RUNNING" && !slotFor(row, slots, limits).free) return refuse("RUNNING_LIMIT_EXCEEDED");
  const access = level === "RUNNING" ? { lastAccessAt: now } : {};
  return accept(row, { ...requested(row, level), ...access }, actor, "wish", { code: "requested" });
}

export interface Edit {
  /** Null leaves the level as it is. */
  readonly level: Level | null;
  readonly columns: Partial<RequestColumns>;
  /** What was changed beside the level, by the names people know; for the history. */
  readonly fields: readonly string[];
}

/** PATCH: fields and level together; either all of it happens or none. */
export function requestEdit(
  input: RequestInput,
  { level, columns, fields }: Edit,
  limits: Limits,
  actor: Actor,
): Verdict {
  const { row } = input;
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  const levelled: Verdict =
    level === null ? { write: {}, events: [], result: { accepted: true } } : requestLevel(input, level, limits, actor);
  if (levelled.write === null) return levelled;
  const edited = { actor, kind: "edited", from: null, to: null, code: "fields_changed", details: { fields } };
  const events = fields.length === 0 ? levelled.events : [...levelled.events, edited];
  return { ...levelled, write: { ...columns, ...levelled.write }, events };
}

/** A visit. It never cancels a confirmed reset or a deletion, and it counts as activity. */
export function requestWake({ row, now, slots }: RequestInput, limits: Limits, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.desiredState === "PENDING" && !isEmptied(row)) return refuse("RESET_PENDING");
  if (row.desiredState === "RUNNING") return refuse("NOTHING_TO_WAKE");
  if (!slotFor(row, slots, limits).free) return refuse("RUNNING_LIMIT_EXCEEDED");
  return accept(row, { ...requested(row, "RUNNING"), lastAccessAt: now }, actor, "wake", { code: "visited" });
}

export interface IdleInput extends RequestInput {
  readonly defaults: TtlDefaults;
  /** The request the candidate was chosen under: a newer one always wins. */
  readonly desiredVersion: number;
  /** While a proxy has not reported its activity the standby TTL waits, for at most one TTL. */
  readonly gap: ActivityGap | null;
}

/** The TTL runner's request: only ever lowers, and only what is idle now, in this transaction. */
export function requestDemotion({ row, now, defaults, desiredVersion, gap }: IdleInput): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  const demotion = isIdle(row, defaults, now);
  if (demotion === null || row.desiredVersion !== desiredVersion) return refuse("WRONG_PHASE");
  if (demotion.to === "STANDBY" && gap !== null && now <= waitsUntil(demotion, gap)) return refuse("WRONG_PHASE");
  return accept(row, requested(row, demotion.to), "ttl", "idle", idleWhy(demotion));
}

const idleWhy = (demotion: Demotion): Reason => ({
  code: demotion.to === "STANDBY" ? "inactive" : "in_standby",
  fields: { since: moment(demotion.since) },
});

export interface TakenAwayInput extends RequestInput {
  /** The request under which it was seen: a newer one is looked at anew. */
  readonly desiredVersion: number;
  readonly why: Reason;
}

/** The coordinator's request for what the engine took away: it rests until somebody comes. Only ever lowers. */
export function requestRest({ row, desiredVersion, why }: TakenAwayInput): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.desiredState !== "RUNNING" || row.desiredVersion !== desiredVersion) return refuse("WRONG_PHASE");
  return accept(row, requested(row, "STANDBY"), "coordinator", "taken_away", why);
}

/** The confirmed request to empty the home; its archive stays in the trash for undo. */
export function requestReset({ row }: RequestInput, confirmation: string, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (confirmation !== row.name) return refuse("CONFIRMATION_MISMATCH");
  return accept(row, requested(row, "PENDING"), actor, "reset", { code: "reset" });
}

/** A second DELETE never moves the first one's time; it may add the purge. */
export function requestDelete(
  { row, now }: RequestInput,
  purge: { confirmation: string } | null,
  actor: Actor,
): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (purge !== null && purge.confirmation !== row.name) return refuse("CONFIRMATION_MISMATCH");
  if (row.deletedAt !== null && (purge === null || row.purge))
    return accept(row, {}, actor, "delete", { code: "already_deleted" });
  const write = { ...requested(row, "DELETED"), deletedAt: row.deletedAt ?? now, purge: row.purge || purge !== null };
  return accept(row, write, actor, "delete", { code: purge === null ? "trashed" : "purged" });
}

export function requestUndelete({ row }: RequestInput, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt === null) return refuse("NOT_DELETED");
  if (row.purge) return refuse("UNDELETE_PURGED");
  if (row.expiredAt !== null) return refuse("UNDELETE_EXPIRED");
  return accept(row, { ...requested(row, "ARCHIVED"), deletedAt: null }, actor, "undelete", { code: "restored" });
}

/** Recover and its choices. DataLost needs a choice, because something is given up by it. */
export function requestRecover(
  { row }: RequestInput,
  action: RequestAction,
  confirmation: string | null,
  actor: Actor,
): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.phase !== "ERROR") return refuse("NOT_IN_ERROR");
  if (row.errorReason === "DataLost" && action.kind === "recover") return refuse("CHOICE_REQUIRED");
  if (action.kind === "start_empty" && confirmation !== row.name) return refuse("CONFIRMATION_MISMATCH");
  return ask(row, action, actor);
}

/** An older archive becomes the home again; the request follows, or a reset under way would discard it once more. */
export function requestRestoreArchive({ row }: RequestInput, opId: string, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.phase !== "PENDING" && row.phase !== "ARCHIVED") return refuse("WRONG_PHASE");
  if (row.operation !== "NONE") return refuse("OPERATION_IN_PROGRESS");
  const request = ask(row, { kind: "use_archive", opId }, actor);
  return request.write === null ? request : { ...request, write: { ...request.write, ...requested(row, "ARCHIVED") } };
}

export function requestRestart({ row }: RequestInput, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.phase !== "RUNNING" || row.desiredState !== "RUNNING") return refuse("WRONG_PHASE");
  return ask(row, { kind: "restart" }, actor);
}

export function requestVerify({ row }: RequestInput, opId: string, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  return ask(row, { kind: "verify_archive", opId }, actor);
}

export function ask(row: Workspace, action: RequestAction, actor: Actor): Verdict {
  if (requestPending(row)) return refuse("REQUEST_PENDING");
  const request = { version: (row.request?.version ?? row.requestDone) + 1, action };
  return accept(row, { request }, actor, "request", {
    code: action.kind,
    fields: "opId" in action ? { op_id: action.opId } : "bytes" in action ? { bytes: action.bytes } : {},
  });
}
