import { moment, type Reason } from "#core/rows/meaning.ts";
import type { EventLine } from "#core/rows/mutation.ts";
import type { DesiredState, Ms, RequestAction, WishColumns, Workspace } from "#core/rows/workspace.ts";
import { requestPending } from "#core/rules/plan.ts";
import { type ActivityGap, type Fall, isIdle, type TtlDefaults, waitsUntil } from "./idle.ts";
import { type Limits, type Slots, slotFor } from "./limits.ts";

/** Who wishes: a person by user id, or a part of the system by its name. Goes into the history. */
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
] as const;
export type Refusal = (typeof REFUSALS)[number];

export type WishOutcome = { readonly accepted: true } | { readonly accepted: false; readonly refusal: Refusal };

export type Wish =
  | { readonly write: Partial<WishColumns>; readonly events: readonly EventLine[]; readonly result: WishOutcome }
  | { readonly write: null; readonly result: WishOutcome };

export interface WishInput {
  readonly row: Workspace | null;
  readonly now: Ms;
  readonly slots: Slots;
}

const refuse = (refusal: Refusal): Wish => ({ write: null, result: { accepted: false, refusal } });

const accept = (row: Workspace, write: Partial<WishColumns>, actor: Actor, kind: string, why: Reason): Wish => ({
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

/** Every accepted wish counts, also a repeated one: whoever read before it must notice. */
const wished = (row: Workspace, desiredState: DesiredState): Pick<WishColumns, "desiredState" | "desiredVersion"> => ({
  desiredState,
  desiredVersion: row.desiredVersion + 1,
});

/** What a person may ask a workspace to be. */
export type Level = "RUNNING" | "STANDBY" | "ARCHIVED";

export type Creation =
  | { readonly refuse: "RUNNING_LIMIT_EXCEEDED" }
  | { readonly refuse: null; readonly events: readonly EventLine[] };

/** A new workspace that is to run needs a slot like any other. */
export function wishCreate(slots: Slots, level: Level, limits: Limits, actor: Actor): Creation {
  if (level === "RUNNING" && !slotFor(null, slots, limits).free) return { refuse: "RUNNING_LIMIT_EXCEEDED" };
  return { refuse: null, events: [{ actor, kind: "created", from: null, to: level, code: "created" }] };
}

/** PATCH desired_state. Accepted at any time, also while an operation runs: planning uses the newest wish. */
export function wishLevel({ row, now, slots }: WishInput, level: Level, limits: Limits, actor: Actor): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (level === "RUNNING" && !slotFor(row, slots, limits).free) return refuse("RUNNING_LIMIT_EXCEEDED");
  const access = level === "RUNNING" ? { lastAccessAt: now } : {};
  return accept(row, { ...wished(row, level), ...access }, actor, "wish", { code: "requested" });
}

export interface Edit {
  /** Null leaves the level as it is. */
  readonly level: Level | null;
  readonly columns: Partial<WishColumns>;
  /** What was changed beside the level, by the names people know; for the history. */
  readonly fields: readonly string[];
}

/** PATCH: fields and level together; either all of it happens or none. */
export function wishEdit(input: WishInput, { level, columns, fields }: Edit, limits: Limits, actor: Actor): Wish {
  const { row } = input;
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  const levelled: Wish =
    level === null ? { write: {}, events: [], result: { accepted: true } } : wishLevel(input, level, limits, actor);
  if (levelled.write === null) return levelled;
  const edited = { actor, kind: "edited", from: null, to: null, code: "fields_changed", details: { fields } };
  const events = fields.length === 0 ? levelled.events : [...levelled.events, edited];
  return { ...levelled, write: { ...columns, ...levelled.write }, events };
}

/** A visit. It never cancels a confirmed reset or a deletion, and it counts as activity. */
export function wishWake({ row, now, slots }: WishInput, limits: Limits, actor: Actor): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.desiredState === "PENDING") return refuse("RESET_PENDING");
  if (row.desiredState !== "STANDBY" && row.desiredState !== "ARCHIVED") return refuse("NOTHING_TO_WAKE");
  if (!slotFor(row, slots, limits).free) return refuse("RUNNING_LIMIT_EXCEEDED");
  return accept(row, { ...wished(row, "RUNNING"), lastAccessAt: now }, actor, "wake", { code: "visited" });
}

export interface IdleInput extends WishInput {
  readonly defaults: TtlDefaults;
  /** The wish the candidate was chosen under: a newer one always wins. */
  readonly desiredVersion: number;
  /** While a proxy has not reported its activity the standby TTL waits, for at most one TTL. */
  readonly gap: ActivityGap | null;
}

/** The TTL runner's wish: only ever lowers, and only what is idle now, in this transaction. */
export function wishFall({ row, now, defaults, desiredVersion, gap }: IdleInput): Wish {
  if (row === null) return refuse("NOT_FOUND");
  const fall = isIdle(row, defaults, now);
  if (fall === null || row.desiredVersion !== desiredVersion) return refuse("WRONG_PHASE");
  if (fall.to === "STANDBY" && gap !== null && now <= waitsUntil(fall, gap)) return refuse("WRONG_PHASE");
  return accept(row, wished(row, fall.to), "ttl", "idle", idleWhy(fall));
}

const idleWhy = (fall: Fall): Reason => ({
  code: fall.to === "STANDBY" ? "inactive" : "in_standby",
  fields: { since: moment(fall.since) },
});

/** The confirmed wish to empty the home; its archive stays in the trash for undo. */
export function wishReset({ row }: WishInput, confirmation: string, actor: Actor): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (confirmation !== row.name) return refuse("CONFIRMATION_MISMATCH");
  return accept(row, wished(row, "PENDING"), actor, "reset", { code: "reset" });
}

/** A second DELETE never moves the first one's time; it may add the purge. */
export function wishDelete({ row, now }: WishInput, purge: { confirmation: string } | null, actor: Actor): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (purge !== null && purge.confirmation !== row.name) return refuse("CONFIRMATION_MISMATCH");
  if (row.deletedAt !== null && (purge === null || row.purge))
    return accept(row, {}, actor, "delete", { code: "already_deleted" });
  const write = { ...wished(row, "DELETED"), deletedAt: row.deletedAt ?? now, purge: row.purge || purge !== null };
  return accept(row, write, actor, "delete", { code: purge === null ? "trashed" : "purged" });
}

export function wishUndelete({ row }: WishInput, actor: Actor): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt === null) return refuse("NOT_DELETED");
  if (row.purge) return refuse("UNDELETE_PURGED");
  if (row.expiredAt !== null) return refuse("UNDELETE_EXPIRED");
  return accept(row, { ...wished(row, "ARCHIVED"), deletedAt: null }, actor, "undelete", { code: "restored" });
}

/** Recover and its choices. DataLost needs a choice, because something is given up by it. */
export function wishRecover(
  { row }: WishInput,
  action: RequestAction,
  confirmation: string | null,
  actor: Actor,
): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.phase !== "ERROR") return refuse("NOT_IN_ERROR");
  if (row.errorReason === "DataLost" && action.kind === "recover") return refuse("CHOICE_REQUIRED");
  if (action.kind === "start_empty" && confirmation !== row.name) return refuse("CONFIRMATION_MISMATCH");
  return ask(row, action, actor);
}

/** An older archive becomes the home again; the wish follows, or a reset under way would discard it once more. */
export function wishRestoreArchive({ row }: WishInput, opId: string, actor: Actor): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.phase !== "PENDING" && row.phase !== "ARCHIVED") return refuse("WRONG_PHASE");
  if (row.operation !== "NONE") return refuse("OPERATION_IN_PROGRESS");
  const request = ask(row, { kind: "use_archive", opId }, actor);
  return request.write === null ? request : { ...request, write: { ...request.write, ...wished(row, "ARCHIVED") } };
}

export function wishRestart({ row }: WishInput, actor: Actor): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.phase !== "RUNNING" || row.desiredState !== "RUNNING") return refuse("WRONG_PHASE");
  return ask(row, { kind: "restart" }, actor);
}

export function wishVerify({ row }: WishInput, opId: string, actor: Actor): Wish {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  return ask(row, { kind: "verify_archive", opId }, actor);
}

function ask(row: Workspace, action: RequestAction, actor: Actor): Wish {
  if (requestPending(row)) return refuse("REQUEST_PENDING");
  const request = { version: (row.request?.version ?? row.requestDone) + 1, action };
  return accept(row, { request }, actor, "request", {
    code: action.kind,
    fields: "opId" in action ? { op_id: action.opId } : {},
  });
}
