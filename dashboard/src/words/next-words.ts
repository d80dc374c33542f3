import type { Workspace } from "@codehub/contract";
import { bytes, span, upcoming } from "../format/format.ts";
import { operationWords, phaseLook, wishWords } from "./words.ts";

/** What happens next, counted down by the page's own clock; the server's words where no moment is known. */
export const nextWords = (workspace: Workspace, now: number): string => {
  const { kind, at, summary } = workspace.next;
  if (kind === "nothing") return "";
  if (kind === "operation_running") return nowWords(workspace);
  const coming = workspace.next.operation;
  if (kind === "operation_next" && coming !== null && coming !== "NONE")
    return `Next: ${operationWords[coming].noun.toLowerCase()}`;
  if (at === null) return summary;
  const when = upcoming(new Date(at).getTime(), now);
  switch (kind) {
    case "standby":
      return `Standby ${when} unless you use it`;
    case "archive":
      return `Archived ${when}`;
    case "retry":
      return `Tries again ${when}`;
    case "expiry":
      return `Gone for good ${when}`;
    default:
      return summary;
  }
};

/** How far the present operation is, 0 to 1, or null when nobody can say. */
export const shareOf = ({ progress }: Pick<Workspace, "progress">): number | null => {
  if (progress === null) return null;
  if (progress.bytes_total !== null && progress.bytes_total > 0)
    return Math.min(1, progress.bytes_done / progress.bytes_total);
  if (progress.files_total !== null && progress.files_total > 0)
    return Math.min(1, progress.files_done / progress.files_total);
  return null;
};

/** "42 % · 120 MB of 280 MB · 30 MB/s · 5 s left", as much of it as is known; a row has no room for the sizes. */
export const progressWords = (workspace: Workspace, room: "row" | "page"): string => {
  const { progress } = workspace;
  if (progress === null) return "";
  const share = shareOf(workspace);
  return [
    share === null ? null : `${Math.round(share * 100)} %`,
    room === "row" && share !== null
      ? null
      : progress.bytes_total === null
        ? progress.bytes_done > 0
          ? bytes(progress.bytes_done)
          : null
        : `${bytes(progress.bytes_done)} of ${bytes(progress.bytes_total)}`,
    progress.rate_bytes_per_second === null ? null : `${bytes(progress.rate_bytes_per_second)}/s`,
    progress.eta_seconds === null ? null : `${span(progress.eta_seconds * 1000)} left`,
  ]
    .filter((part) => part !== null)
    .join(" · ");
};

/** The line under the name: what it is doing, or is about to do, or what it is. */
export const nowWords = (workspace: Workspace): string => {
  if (workspace.operation !== "NONE") {
    const words = operationWords[workspace.operation];
    const goesOn = words.to !== null && words.to !== workspace.desired_state && workspace.deleted_at === null;
    return goesOn ? `${words.doing}, to be ${wishWords[workspace.desired_state]}` : words.doing;
  }
  if (workspace.phase === "ERROR") return workspace.error?.message ?? phaseLook.ERROR.meaning;
  if (workspace.phase !== workspace.desired_state && workspace.deleted_at === null)
    return `Asked to be ${wishWords[workspace.desired_state]}`;
  return phaseLook[workspace.phase].meaning;
};
