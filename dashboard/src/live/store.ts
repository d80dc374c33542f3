import type { Listed } from "@codehub/contract";
import { create } from "zustand";
import { initialLiveState, type LiveAction, type LiveState, reduceLive } from "./reducer.ts";

/** One store for the page. Components subscribe to the part they show and are drawn again only when it changed. */
export const useLive = create<LiveState>(() => initialLiveState);

export const dispatch = (action: LiveAction): void => useLive.setState((state) => reduceLive(state, action), true);

/** Signing out forgets everything: the next person at this browser must not see it. */
export const forgetAll = (): void => useLive.setState(initialLiveState, true);

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
