import type { ErrorCode, Workspace } from "@codehub/contract";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import type { Principal } from "#api/http/handler.ts";
import { homeSizeOf } from "#core/requests/home-size.ts";
import type { Refusal } from "#core/requests/requests.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { WorkspaceView } from "#ports/views.ts";
import type { Answer, LimitReached, Refused } from "#requests/answer.ts";
import { presentWorkspace } from "./present-workspace.ts";

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
  NODE_NOT_SILENT: "NODE_NOT_SILENT",
  NODE_MISMATCH: "NODE_MISMATCH",
  SIZE_NOT_LARGER: "HOME_SIZE_NOT_LARGER",
  SIZE_ABOVE_LIMIT: "HOME_SIZE_LIMIT",
  NO_REPOSITORY: "NO_REPOSITORY",
};

/** The workspace as whoever asks sees it now. */
export const shown = (
  { settings, clock }: Pick<ApiDeps, "settings" | "clock">,
  view: WorkspaceView,
  { account }: Principal,
): Workspace =>
  presentWorkspace(view, {
    policy: settings,
    sites: settings,
    now: clock.nowMs(),
    own: view.row.ownerId === account.id,
  });

/** The same after a request was granted; throws what refused it, in the contract's words. */
export async function granted(
  deps: Pick<ApiDeps, "views" | "settings" | "clock">,
  principal: Principal,
  id: string,
  answer: Answer,
  /** What "wrong phase" means for this route. */
  wrongPhase: ErrorCode = CODES.WRONG_PHASE,
): Promise<Workspace> {
  if (!answer.accepted) throw await errorOf(deps, id, answer, wrongPhase);
  const view = await deps.views.get(id);
  if (view === null) throw new ApiError("NOT_FOUND", { what: "workspace" });
  return shown(deps, view, principal);
}

async function errorOf(
  deps: Pick<ApiDeps, "views" | "settings">,
  id: string,
  refused: Refused,
  wrongPhase: ErrorCode,
): Promise<ApiError> {
  switch (refused.refusal) {
    case "SINGLE_USER":
      return new ApiError("PROCESS_RUNTIME_SINGLE_USER");
    case "SIZE_FIXED":
      return new ApiError("HOME_SIZE_FIXED");
    case "SIZE_NOT_LARGER": {
      const { homeSizes: sizes } = deps.settings;
      const bytes = sizes === null || refused.row === null ? 0 : homeSizeOf(refused.row, sizes);
      return new ApiError("HOME_SIZE_NOT_LARGER", { bytes });
    }
    case "SIZE_ABOVE_LIMIT":
      return new ApiError("HOME_SIZE_LIMIT", { bytes: deps.settings.homeSizes?.ownerMaxBytes ?? 0 });
    case "IMAGE_NOT_ALLOWED":
      return new ApiError("IMAGE_NOT_ALLOWED", { image: refused.image, allowed: refused.allowed });
    case "RUNNING_LIMIT_EXCEEDED":
      return limitExceeded(refused.reached);
    case "NOT_FOUND":
      return new ApiError("NOT_FOUND", { what: "workspace" });
    case "WRONG_PHASE":
      return new ApiError(
        wrongPhase,
        wrongPhase === "RESTORE_NOT_POSSIBLE" ? { phase: refused.row?.phase } : undefined,
      );
    case "OPERATION_IN_PROGRESS":
      return new ApiError("OPERATION_RUNNING", { operation: refused.row?.operation });
    case "CHOICE_REQUIRED": {
      const archives = (await deps.views.archives(id)).map((archive) => archive.opId);
      return new ApiError("RECOVERY_CHOICE_REQUIRED", { archives });
    }
    default:
      return new ApiError(CODES[refused.refusal]);
  }
}

/** Names only the caller's own workspaces, also where it is everybody's limit that was reached. */
const limitExceeded = ({ scope, limit, held, running }: LimitReached): ApiError =>
  new ApiError("RUNNING_LIMIT_EXCEEDED", {
    scope: scope === "user" ? "You" : "Everybody together",
    limit,
    running: running.map(({ id, name, phase, lastAccessAt }) => ({
      id,
      name,
      phase,
      last_access_at: isoTime(lastAccessAt),
    })),
    count: held,
  });
