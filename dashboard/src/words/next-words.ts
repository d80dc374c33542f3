import { catalogue, errorText, type Listed, nextText, say, span, waitingText } from "@codehub/contract";
import { bytes } from "../format/format.ts";
import { countdownVoice, localVoice } from "./voice.ts";
import { wayOf } from "./words.ts";

/** What happens next, counted down by the page's own clock: shortly where there are words for it, else in full. */
export function nextWords(workspace: Listed, now: number): string {
  const { next } = workspace;
  if (next.kind === "nothing") return "";
  if (next.kind === "operation_running") return nowWords(workspace);
  const voice = countdownVoice(now);
  return say(catalogue.nextShort[next.kind], { ...next }, voice) ?? nextText(next, voice);
}

/** How far the present operation is, 0 to 1, or null when nobody can say. */
export function shareOf({ progress }: Pick<Listed, "progress">): number | null {
  if (progress === null) return null;
  const told = progress.waiting?.fields["percent"];
  if (typeof told === "number") return Math.min(1, told / 100);
  if (progress.bytes_total !== null && progress.bytes_total > 0)
    return Math.min(1, progress.bytes_done / progress.bytes_total);
  if (progress.files_total !== null && progress.files_total > 0)
    return Math.min(1, progress.files_done / progress.files_total);
  return null;
}

/** What a start waits for, without the engine's own words; empty where it waits for nothing. */
export const waitingWords = ({ progress }: Pick<Listed, "progress">): string =>
  progress?.waiting === undefined ? "" : waitingText(progress.waiting, localVoice);

/** What is waited for has the percent in its own words; a row has room for the number only. */
const saysPercent = ({ waiting }: NonNullable<Listed["progress"]>): boolean =>
  typeof waiting?.fields["percent"] === "number";

/** "42 % · 120 MB of 280 MB · 30 MB/s · 5 s left", as much of it as is known; a row has no room for the sizes, and
 * says what is waited for in the same line. */
export function progressWords(workspace: Listed, room: "row" | "page"): string {
  const { progress } = workspace;
  if (progress === null) return "";
  const share = shareOf(workspace);
  return [
    room === "row" && progress.waiting !== undefined && !saysPercent(progress) ? waitingWords(workspace) : null,
    share === null || (room === "page" && saysPercent(progress)) ? null : `${Math.round(share * 100)} %`,
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
}

/** The line under the name: what it is doing, or is about to do, or what it is. */
export function nowWords(workspace: Listed): string {
  const { operation, phase, desired_state: state, deleted_at: deletedAt, error } = workspace;
  if (operation !== "NONE") {
    const { to } = wayOf(operation);
    const goesOn = to !== null && to !== state && deletedAt === null;
    return (
      say(goesOn ? catalogue.now["doing_towards"] : catalogue.now["doing"], { operation, state }, localVoice) ?? ""
    );
  }
  if (phase === "ERROR") return error === null ? catalogue.phases.ERROR.meaning : errorText(error, localVoice);
  if (phase !== state && deletedAt === null) return say(catalogue.now["requested"], { state }, localVoice) ?? "";
  return catalogue.phases[phase].meaning;
}
