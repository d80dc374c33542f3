import type { ApiError } from "@codehub/contract";
import { useMemo } from "react";
import { everyWorkspace } from "./api.ts";
import { type FoundInMemo, wordsOf } from "./format/list-view.ts";
import { useAtMostEvery } from "./hooks/use-at-most-every.ts";
import { useQuery } from "./hooks/use-query.ts";
import { useLive } from "./live/store.ts";

const pauseMs = 200;
/** Workspaces change all the time, memos hardly ever. */
const againMs = 2000;
const longestWord = 200;
const nothing: FoundInMemo = new Map();

const withWord = async (word: string): Promise<ReadonlySet<string>> =>
  new Set((await everyWorkspace({ q: word })).map(({ id }) => id));

interface Found {
  readonly found: FoundInMemo;
  /** Nothing is known yet of these words. */
  readonly looking: boolean;
  readonly error: ApiError | null;
}

/**
 * Which workspaces have the words of a search in their memo, or anywhere else the server looks. Names and descriptions are
 * found in the page at once; this joins them when the typing pauses, and again when a workspace has changed.
 */
export function useFoundInMemos(search: string): Found {
  const workspaces = useLive((state) => state.workspaces);
  const words = wordsOf(search).filter(({ length }) => length <= longestWord);
  const changes = useMemo(() => [...workspaces.values()].reduce((sum, { version }) => sum + version, 0), [workspaces]);
  const followed = useAtMostEvery(changes, againMs);
  const { data, error } = useQuery(
    `memos ${words.join(" ")}`,
    async (signal) => {
      if (words.length === 0) return nothing;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (signal.aborted) return nothing;
      return new Map(await Promise.all(words.map(async (word) => [word, await withWord(word)] as const)));
    },
    { refreshOn: words.length === 0 ? 0 : followed },
  );
  return { found: data ?? nothing, looking: data === null && error === null, error };
}
