import { type CacheId, catalogue, type EmptiedCache, type HomeSpace } from "@codehub/contract";
import { bytes } from "../format/format.ts";
import type { QuestionWords } from "./question-words.ts";

/** Why nothing is seen; null where something is. */
export const spaceStates: Readonly<Record<HomeSpace["state"], string | null>> = {
  seen: null,
  not_running: "Start the workspace to look into its home.",
  not_here:
    "On this server nothing can be run in a workspace from outside, so its home cannot be looked into from here.",
};

/** What is asked before a cache is emptied: what is gone then, and that it comes back. */
export function emptyWords(cache: CacheId, size: number): QuestionWords {
  const { name, means } = catalogue.caches[cache];
  return {
    title: `Empty the cache of ${name}?`,
    text: `${means} ${bytes(size)} are deleted for good, and nothing else in the home. What is installing or building at this moment may fail.`,
    button: "Empty",
  };
}

/** What came of it. */
export function freedWords(cache: CacheId, { whole, freed_bytes: freed }: EmptiedCache): string {
  const { name } = catalogue.caches[cache];
  const gain = freed === null ? "" : `${bytes(freed)} freed. `;
  return whole
    ? `${gain}The cache of ${name} is empty.`
    : `${gain}Something is left in the cache of ${name}: it took too long, or a program is using it. Empty it again when nothing installs or builds.`;
}
