import type { CoordinatorDeps } from "#coordinator/deps.ts";
import type { LeaderStore } from "#ports/store.ts";

const MINUTE = 60_000;

/** The same coordinator, whose store behaves as given in every term. */
export function withStore(
  deps: CoordinatorDeps,
  change: (store: LeaderStore) => Partial<LeaderStore>,
): CoordinatorDeps {
  const { election } = deps;
  return {
    ...deps,
    election: {
      campaign: async (signal) => {
        const term = await election.campaign(signal);
        return term === null ? null : { ...term, store: { ...term.store, ...change(term.store) } };
      },
    },
  };
}

/** Widens a window that is otherwise a few milliseconds: the bug is the same, it is only met sooner. */
export const pause = (deps: CoordinatorDeps, minutes: number): Promise<void> => deps.clock.sleep(minutes * MINUTE);
