import type { Workspace } from "@codehub/contract";
import { useSyncExternalStore } from "react";
import { initialLiveState, type LiveAction, type LiveState, reduceLive } from "./reducer.ts";

/** One store for the page. Components subscribe to the part they show and are drawn again only when it changed. */
let state = initialLiveState;
const listeners = new Set<() => void>();

export const dispatch = (action: LiveAction): void => {
  const next = reduceLive(state, action);
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
};

/** Signing out forgets everything: the next person at this browser must not see it. */
export const forgetAll = (): void => {
  state = initialLiveState;
  for (const listener of listeners) listener();
};

export const liveState = (): LiveState => state;
const subscribeLive = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export const useLive = <T>(select: (state: LiveState) => T): T =>
  useSyncExternalStore(subscribeLive, () => select(state));

/** Resolves with the workspace as soon as it fulfils the condition; null when the wait was given up. */
export const whenWorkspace = (
  id: string,
  holds: (workspace: Workspace) => boolean,
  signal: AbortSignal,
): Promise<Workspace | null> =>
  new Promise((resolve) => {
    const check = () => {
      const workspace = state.workspaces.get(id);
      if (signal.aborted) finish(null);
      else if (workspace !== undefined && holds(workspace)) finish(workspace);
    };
    const unsubscribe = subscribeLive(() => check());
    const finish = (result: Workspace | null) => {
      unsubscribe();
      signal.removeEventListener("abort", check);
      resolve(result);
    };
    signal.addEventListener("abort", check);
    check();
  });
