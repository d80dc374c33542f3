import type { ErrorCode, UpdateWorkspace } from "@codehub/contract";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError, invalidField } from "#api/http/api-error.ts";
import type { WishColumns, Workspace } from "#core/rows/workspace.ts";
import { isImageAllowed } from "#core/wishes/images.ts";
import { slotFor } from "#core/wishes/limits.ts";
import { type Actor, type Refusal, type Wish, type WishInput, wishLevel } from "#core/wishes/wishes.ts";
import type { WorkspaceDraft } from "#ports/store.ts";
import type { WorkspaceView } from "#ports/views.ts";
import { iso } from "./present-workspace.ts";

/** The service layer: every wish of a person goes through here, whatever route it came by. */
export type WishDeps = Pick<ApiDeps, "wishes" | "views" | "settings" | "clock">;

const CODES: Readonly<Record<Refusal, ErrorCode>> = {
  NOT_FOUND: "NOT_FOUND",
  DELETED: "WORKSPACE_DELETED",
  RESET_PENDING: "RESET_PENDING",
  RUNNING_LIMIT_EXCEEDED: "RUNNING_LIMIT_EXCEEDED",
  CONFIRMATION_MISMATCH: "CONFIRMATION_MISMATCH",
  UNDELETE_EXPIRED: "UNDELETE_EXPIRED",
  UNDELETE_PURGED: "DELETED_FOR_GOOD",
  NOT_DELETED: "NOT_DELETED",
  REQUEST_PENDING: "REQUEST_PENDING",
  NOT_IN_ERROR: "NOT_IN_ERROR",
  CHOICE_REQUIRED: "RECOVERY_CHOICE_REQUIRED",
  OPERATION_IN_PROGRESS: "OPERATION_RUNNING",
  WRONG_PHASE: "RESTORE_NOT_POSSIBLE",
  NOTHING_TO_WAKE: "NOT_RUNNING",
};

export interface WishOptions {
  /** Runs are counted only where one may be added. */
  readonly countSlots?: boolean;
  /** What "wrong phase" means for this route. */
  readonly wrongPhase?: ErrorCode;
}

/** Decides and writes a wish in one transaction; answers the view as it is afterwards, or throws what refused it. */
export const wish = async (
  deps: WishDeps,
  view: WorkspaceView,
  decide: (input: WishInput) => Wish,
  options: WishOptions = {},
): Promise<WorkspaceView> => {
  const { id } = view.row;
  const outcome = await deps.wishes.change(id, { countSlots: options.countSlots ?? false }, decide);
  const after = await deps.views.get(id);
  if (after === null) throw new ApiError("NOT_FOUND", { what: "workspace" });
  if (!outcome.accepted) throw await refused(deps, after.row, outcome.refusal, options);
  return after;
};

const refused = async (deps: WishDeps, row: Workspace, refusal: Refusal, options: WishOptions): Promise<ApiError> => {
  const code = refusal === "WRONG_PHASE" && options.wrongPhase !== undefined ? options.wrongPhase : CODES[refusal];
  switch (code) {
    case "NOT_FOUND":
      return new ApiError(code, { what: "workspace" });
    case "RUNNING_LIMIT_EXCEEDED":
      return limitExceeded(deps, row.ownerId);
    case "RESTORE_NOT_POSSIBLE":
      return new ApiError(code, { phase: row.phase });
    case "OPERATION_RUNNING":
      return new ApiError(code, { operation: row.operation });
    case "RECOVERY_CHOICE_REQUIRED":
      return new ApiError(code, { archives: (await deps.views.archives(row.id)).map((archive) => archive.opId) });
    default:
      return new ApiError(code);
  }
};

/** Names only the caller's own workspaces, also where it is everybody's limit that was reached. */
const limitExceeded = async (deps: WishDeps, ownerId: string): Promise<ApiError> => {
  const own = await deps.views.slotHolders(ownerId);
  const { maxRunningPerUser, maxRunningGlobal } = deps.settings.limits;
  const mine = own.length >= maxRunningPerUser;
  return new ApiError("RUNNING_LIMIT_EXCEEDED", {
    scope: mine ? "You" : "Everybody together",
    limit: mine ? maxRunningPerUser : maxRunningGlobal,
    running: own.map(({ id, name, phase, lastAccessAt }) => ({ id, name, phase, last_access_at: iso(lastAccessAt) })),
    count: mine ? own.length : maxRunningGlobal,
  });
};

const requireImage = (deps: WishDeps, image: string): void => {
  const allowed = [...new Set([deps.settings.defaultImage, ...deps.settings.images])];
  if (!isImageAllowed(image, allowed)) throw new ApiError("IMAGE_NOT_ALLOWED", { image, allowed });
};

/** Plain processes under one system user protect nobody from anybody: there, only the first person may start any. */
const requireStartAllowed = async (deps: WishDeps, ownerId: string): Promise<void> => {
  if (!deps.settings.singleUserOnly) return;
  const first = await deps.views.firstOwner();
  if (first !== null && first !== ownerId) throw new ApiError("PROCESS_RUNTIME_SINGLE_USER");
};

export const createWorkspace = async (deps: WishDeps, draft: WorkspaceDraft, actor: Actor): Promise<WorkspaceView> => {
  requireImage(deps, draft.imageRef);
  if (draft.desiredState === "RUNNING") await requireStartAllowed(deps, draft.ownerId);
  const { limits } = deps.settings;
  const made = await deps.wishes.create<"limit">(draft, ({ slots }) => {
    if (draft.desiredState === "RUNNING" && !slotFor(null, slots, limits).free) return { refuse: "limit" };
    const event = { actor, kind: "created", from: null, to: draft.desiredState, why: "created" };
    return { refuse: null, events: [event] };
  });
  if ("refused" in made) throw await limitExceeded(deps, draft.ownerId);
  const view = await deps.views.get(made.row.id);
  if (view === null) throw new ApiError("NOT_FOUND", { what: "workspace" });
  return view;
};

const MAX_KEEP_AWAKE_MS = 30 * 24 * 3_600_000;

const columnsOf = (body: UpdateWorkspace, now: number): Partial<WishColumns> => {
  const until = body.keep_awake_until;
  const keepAwakeUntil = until === undefined || until === null ? until : Date.parse(until);
  if (typeof keepAwakeUntil === "number" && !(keepAwakeUntil <= now + MAX_KEEP_AWAKE_MS))
    throw invalidField("keep_awake_until", "must be a time within the next 30 days");
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.memo === undefined ? {} : { memo: body.memo }),
    ...(body.image_ref === undefined ? {} : { imageRef: body.image_ref }),
    ...(body.standby_ttl_seconds === undefined ? {} : { standbyTtlSeconds: body.standby_ttl_seconds }),
    ...(body.archive_ttl_seconds === undefined ? {} : { archiveTtlSeconds: body.archive_ttl_seconds }),
    ...(keepAwakeUntil === undefined ? {} : { keepAwakeUntil }),
  };
};

/** PATCH: fields and wish together, in one transaction; either all of it happens or none. */
export const updateWorkspace = async (
  deps: WishDeps,
  view: WorkspaceView,
  body: UpdateWorkspace,
  actor: Actor,
): Promise<WorkspaceView> => {
  const level = body.desired_state;
  const columns = columnsOf(body, deps.clock.nowMs());
  if (body.image_ref !== undefined) requireImage(deps, body.image_ref);
  if (level === "RUNNING") await requireStartAllowed(deps, view.row.ownerId);
  const fields = Object.keys(body).filter((field) => field !== "desired_state");
  const decide = (input: WishInput): Wish => {
    const { row } = input;
    if (row === null) return { write: null, result: { accepted: false, refusal: "NOT_FOUND" } };
    if (row.deletedAt !== null) return { write: null, result: { accepted: false, refusal: "DELETED" } };
    const levelled: Wish =
      level === undefined
        ? { write: {}, events: [], result: { accepted: true } }
        : wishLevel(input, level, deps.settings.limits, actor);
    if (levelled.write === null) return levelled;
    const edited = {
      actor,
      kind: "edited",
      from: null,
      to: null,
      why: `changed ${fields.join(", ")}`,
      details: { fields },
    };
    const events = fields.length === 0 ? levelled.events : [...levelled.events, edited];
    return { ...levelled, write: { ...columns, ...levelled.write }, events };
  };
  return wish(deps, view, decide, { countSlots: level === "RUNNING" });
};

/** Everything a disabled user runs is put to standby: nobody could use it, and it holds slots. */
export const standbyAll = async (deps: WishDeps, ownerId: string, actor: Actor): Promise<void> => {
  for (const { row } of await deps.views.ofOwner(ownerId)) {
    if (row.deletedAt !== null || row.desiredState !== "RUNNING") continue;
    await deps.wishes.change(row.id, { countSlots: false }, (input) =>
      wishLevel(input, "STANDBY", deps.settings.limits, actor),
    );
  }
};
