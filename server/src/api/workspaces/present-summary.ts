import type { ErrorReason, WorkspaceSummary } from "@codehub/contract";
import { isoTime } from "#core/rows/iso-time.ts";
import type { ListedColumns, Ms } from "#core/rows/workspace.ts";
import { type NextStep, nextStep, type Policy } from "#core/words/next-step.ts";
import { homeSafety } from "#core/words/safety.ts";
import type { WorkspaceSummaryView } from "#ports/views.ts";
import { presentProgress, toldOfError, undeleteUntil } from "./present-workspace.ts";

/** Of what a program said, this much is enough to recognise it by; all of it is in the whole form. */
const DETAIL_CHARACTERS = 200;

/** Kinds of next steps about which there is nothing more to say than when. */
const SAID_BY_KIND: ReadonlySet<NextStep["kind"]> = new Set<NextStep["kind"]>([
  "operation_running",
  "standby",
  "archive",
  "retry",
  "expiry",
]);

export interface SummaryContext {
  readonly policy: Policy;
  readonly now: Ms;
}

/** The row as lists and events show it to its owner. A list has a hundred of them: what there is none of is left out. */
export function presentSummary(view: WorkspaceSummaryView, context: SummaryContext): WorkspaceSummary {
  const { row, progress, lastArchive, homeBytes } = view;
  const { policy, now } = context;
  const summary: WorkspaceSummary = {
    id: row.id,
    name: row.name,
    phase: row.phase,
    desired_state: row.desiredState,
    operation: row.operation,
    created_at: isoTime(row.createdAt),
    last_access_at: isoTime(row.lastAccessAt),
    safety: { level: homeSafety(row, lastArchive).level },
    version: row.rowVersion,
  };
  if (row.description === null) summary.image_ref = row.imageRef;
  else summary.description = row.description;
  const next = nextStep(row, policy, now);
  if (next.kind !== "nothing") summary.next = summaryOfNext(next, row);
  if (row.operation !== "NONE" && progress !== null) summary.progress = presentProgress(progress);
  if (row.errorReason !== null) summary.error = summaryOfError(row, row.errorReason);
  if (homeBytes !== null) summary.home_bytes = homeBytes;
  if (lastArchive !== null) {
    summary.safety.last_verified_archive = { verified_at: isoTime(lastArchive.verifiedAt) };
  }
  if (row.deletedAt !== null) summary.deleted_at = isoTime(row.deletedAt);
  if (row.purge) summary.purge = true;
  const until = undeleteUntil(row, policy);
  if (until !== null) summary.undelete_until = isoTime(until);
  return summary;
}

function summaryOfNext(next: NextStep, row: ListedColumns): NonNullable<WorkspaceSummary["next"]> {
  const { kind, operation, at, code, fields } = next;
  if (SAID_BY_KIND.has(kind)) return at === null ? { kind } : { kind, at: isoTime(at) };
  if (operation !== null) return { kind, operation };
  // The error is told beside it.
  return code === row.errorReason ? { kind } : { kind, code, fields: { ...fields } };
}

function summaryOfError(row: ListedColumns, reason: ErrorReason): NonNullable<WorkspaceSummary["error"]> {
  const { fields, detail } = toldOfError(row, reason);
  return { reason, fields, detail: detail.slice(0, DETAIL_CHARACTERS).toWellFormed() };
}
