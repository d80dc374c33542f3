import type { Listed, Workspace } from "@codehub/contract";
import { create } from "zustand";
import { initialLiveState, type LiveAction, type LiveState, reduceLive } from "./reducer.ts";

/** One store for the page. Components subscribe to the part they show and are drawn again only when it changed. */
export const useLive = create<LiveState>(() => initialLiveState);

export const dispatch = (action: LiveAction): void => useLive.setState((state) => reduceLive(state, action), true);

/** Counts who was signed in at this page, one after the other. */
let visitors = 0;

/** Also what is asked for already: its answer is not taken in any more. */
export function forgetAll(): void {
  visitors += 1;
  useLive.setState(initialLiveState, true);
}

/** Takes in what the server answers, unless everything was forgotten meanwhile: then it is not for whoever is here now. */
export async function takeAnswer(answer: Promise<Workspace>): Promise<Workspace> {
  const asked = visitors;
  const workspace = await answer;
  if (asked === visitors) dispatch({ type: "answered", workspace });
  return workspace;
}

/** Resolves with the workspace as soon as it fulfils the condition; null when the wait was given up. */
export const whenWorkspace = (
  id: string,
  holds: (workspace: Listed) => boolean,
  signal: AbortSignal,
): Promise<Listed | null> =>
  new Promise((resolve) => {
    const check = () => {
      const workspace = useLive.getState().workspaces.get(id);
      if (signal.aborted) finish(null);
      else if (workspace !== undefined && holds(workspace)) finish(workspace);
    };
    const unsubscribe = useLive.subscribe(check);
    const finish = (result: Listed | null) => {
      unsubscribe();
      signal.removeEventListener("abort", check);
      resolve(result);
    };
    signal.addEventListener("abort", check);
    check();
  });
