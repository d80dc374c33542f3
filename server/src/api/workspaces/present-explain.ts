import {
  type Blocker,
  blockerRemedy,
  blockerText,
  type Explain,
  requestedText,
  utcVoice,
  whyText,
} from "@codehub/contract";
import { presentEvent } from "#api/accounts/present-account.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { Ms, Workspace as Row } from "#core/rows/workspace.ts";
import {
  type Because,
  because,
  blockersOf,
  type Blocker as Found,
  pathToRequested,
  whyPhase,
} from "#core/words/explain.ts";
import type { Policy } from "#core/words/next-step.ts";
import type { EventView, WorkspaceView } from "#ports/views.ts";
import { isoOrNull, presentCondition, presentNext, presentSafety } from "./present-workspace.ts";

/** Everything that is known about why, as codes and fields, each with its sentence beside it. */
export function presentExplain(
  { row, lastArchive }: WorkspaceView,
  requested: EventView | null,
  policy: Policy,
  now: Ms,
): Explain {
  const voice = utcVoice(now);
  const state = {
    phase: row.phase,
    desired_state: row.desiredState,
    reason: presentReason(row),
    requested: requested === null ? null : presentEvent(requested),
  };
  return {
    workspace_id: row.id,
    operation: row.operation,
    ...state,
    why: whyText(state, voice),
    because: because(row).map((line) => presentBecause(line, now)),
    wish: requestedText(state, voice),
    next: presentNext(row, policy, now),
    path: pathToRequested(row).map(({ operation, to }) => ({ operation, to })),
    blockers: blockersOf(row, now).map((blocker) => presentBlocker(blocker, now)),
    safety: presentSafety(row, lastArchive, now),
    evaluated_at: isoTime(now),
  };
}

function presentReason(row: Row): Explain["reason"] {
  const { code, fields, detail, since } = whyPhase(row);
  return { code, fields: { ...fields }, detail, since: isoTime(since) };
}

function presentBecause({ condition, holds, seen, since }: Because, now: Ms): Explain["because"][number] {
  const { reason: code, fields = {}, detail = "", message } = presentCondition(condition, seen, now);
  return { condition, holds, code, fields, detail, message, since: isoTime(since) };
}

function presentBlocker({ kind, code, condition, retryAt, fields, detail, since }: Found, now: Ms): Blocker {
  const blocker = {
    code,
    kind,
    condition,
    retry_at: isoOrNull(retryAt),
    fields: { ...fields },
    detail,
    since: isoOrNull(since),
  };
  return { ...blocker, message: blockerText(blocker, utcVoice(now)), what_to_do: blockerRemedy(blocker) };
}
