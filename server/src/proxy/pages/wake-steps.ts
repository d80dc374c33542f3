import { span, utcVoice, waitingText } from "@codehub/contract/words";
import { lastStatus } from "#core/rows/condition.ts";
import type { Operation, Workspace } from "#core/rows/workspace.ts";
import { OPERATIONS } from "#core/rules/operations.ts";
import { setupDue } from "#core/rules/setup.ts";
import type { ProgressView } from "#ports/views.ts";

/** One line of the waiting page, in the order in which it happens. */
export interface WakeStep {
  readonly label: string;
  readonly state: "done" | "active" | "todo";
  readonly detail: string;
  /** What the engine says about it, in its own words. */
  readonly said: string;
  /** 0 to 100 where it can be measured. */
  readonly percent: number | null;
}

/** Finishing what was begun on the ladder for something else comes first: an operation is never interrupted. */
function finishingWords(operation: Operation): string | undefined {
  if (operation === "NONE") return undefined;
  const { edge, makes, doing } = OPERATIONS[operation];
  return edge === null || edge.from === edge.to || makes === "home" || makes === "container"
    ? undefined
    : `Finish ${doing}`;
}

function bytes(value: number): string {
  if (value < 1_000_000) return `${Math.max(0, Math.round(value / 1_000))} kB`;
  return value < 10_000_000_000 ? `${Math.round(value / 1_000_000)} MB` : `${(value / 1_000_000_000).toFixed(1)} GB`;
}

export function progressText(progress: ProgressView, now: number): string {
  const parts: string[] = [];
  const { waiting } = progress;
  if (waiting !== null)
    parts.push(
      waitingText({ ...waiting, detail: saidOf(progress) }, utcVoice(now)),
      `for ${span(now - waiting.since)}`,
    );
  if (progress.totalBytes !== null && progress.totalBytes > 0)
    parts.push(`${bytes(Math.min(progress.doneBytes, progress.totalBytes))} of ${bytes(progress.totalBytes)}`);
  else if (progress.doneBytes > 0) parts.push(bytes(progress.doneBytes));
  if (progress.bytesPerSecond !== null && progress.bytesPerSecond > 0)
    parts.push(`${bytes(progress.bytesPerSecond)}/s`);
  if (progress.etaSeconds !== null && progress.etaSeconds > 0)
    parts.push(`about ${span(1000 * progress.etaSeconds)} left`);
  return parts.length > 0 ? parts.join(" · ") : progress.step;
}

function saidOf(progress: ProgressView | null): string {
  const message = progress?.waiting?.fields["message"];
  return typeof message === "string" ? message : "";
}

function percentOf(progress: ProgressView | null): number | null {
  const told = progress?.waiting?.fields["percent"];
  if (typeof told === "number") return told;
  if (progress === null || progress.totalBytes === null || progress.totalBytes === 0) return null;
  return Math.min(100, Math.floor((100 * progress.doneBytes) / progress.totalBytes));
}

/** The real steps between what is seen now and an open IDE. */
export function wakeSteps(row: Workspace, progress: ProgressView | null, now: number): WakeStep[] {
  const { operation } = row;
  const step = (label: string, state: WakeStep["state"], rest = ""): WakeStep => ({
    label,
    state,
    detail: state === "active" && progress !== null ? progressText(progress, now) : rest,
    said: state === "active" ? saidOf(progress) : "",
    percent: state === "active" ? percentOf(progress) : null,
  });
  const finishing = finishingWords(operation);
  const first = finishing === undefined ? [] : [step(finishing, "active")];
  const ready = row.phase === "RUNNING" && operation === "NONE";
  const homeHere = finishing === undefined && (row.phase === "STANDBY" || row.phase === "RUNNING");
  const fromArchive = operation === "RESTORING" || operation === "ARCHIVING" || row.archiveKey !== null;
  const home = step(
    row.homeVolume === null && fromArchive ? "Restore the home from its archive" : "Prepare the home",
    homeHere || (finishing !== undefined && operation === "STOPPING")
      ? "done"
      : finishing === undefined
        ? "active"
        : "todo",
    homeHere ? "Your files are in place" : "",
  );
  const preparing = operation === "PREPARING";
  const repository =
    row.source !== null && (preparing || setupDue(row))
      ? [step(`Get ${row.source.key}`, preparing ? "active" : "todo")]
      : [];
  const starting = operation === "STARTING";
  const begun = progress?.waiting?.code === "answering" || lastStatus(row.conditions, "infra.container_present");
  const waiting = starting && begun;
  return [
    ...first,
    home,
    ...repository,
    step("Start the workspace", ready || waiting ? "done" : homeHere && repository.length === 0 ? "active" : "todo"),
    step("Wait for the IDE to answer", ready ? "done" : waiting ? "active" : "todo"),
  ];
}
