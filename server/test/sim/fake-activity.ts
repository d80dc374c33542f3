import type { ActivityBuffer, ActivityEntry } from "#ports/activity.ts";
import type { SimProcess } from "./process.ts";
import type { Sim } from "./sim.ts";

/** The shared buffer between proxies and the database. */
export class ActivityState {
  readonly times: Map<string, number> = new Map();
  readonly sources: Map<string, number> = new Map();
  /** A planted bug removes entries without comparing. */
  compares = true;

  record(source: string, flushedAt: number, entries: readonly ActivityEntry[]): void {
    this.sources.set(source, Math.max(flushedAt, this.sources.get(source) ?? 0));
    for (const { workspaceId, at } of entries) {
      this.times.set(workspaceId, Math.max(at, this.times.get(workspaceId) ?? 0));
    }
  }

  forgetSilent(before: number): void {
    for (const [source, flushedAt] of this.sources) if (flushedAt < before) this.sources.delete(source);
  }

  removeUnchanged(entries: readonly ActivityEntry[]): number {
    let removed = 0;
    for (const { workspaceId, at } of entries) {
      if (this.compares && this.times.get(workspaceId) !== at) continue;
      if (this.times.delete(workspaceId)) removed++;
    }
    return removed;
  }
}

export function fakeActivity(sim: Sim, state: ActivityState, process: SimProcess): ActivityBuffer {
  const call = <T>(name: string, reads: boolean, effect: () => T): Promise<T> =>
    sim.call({ process, port: "activity", name, about: "", reads, effect });
  return {
    record: (source, flushedAt, entries) => call("record", false, () => state.record(source, flushedAt, entries)),
    read: (limit) =>
      call("read", true, () =>
        [...state.times]
          .map(([workspaceId, at]) => ({ workspaceId, at }))
          .sort((a, b) => a.at - b.at)
          .slice(0, limit),
      ),
    removeUnchanged: (entries) => call("removeUnchanged", false, () => state.removeUnchanged(entries)),
    sources: () =>
      call("sources", true, () => [...state.sources].map(([source, flushedAt]) => ({ source, flushedAt }))),
    forget: (source) => call("forget", false, () => void state.sources.delete(source)),
    forgetSilent: (before) => call("forgetSilent", false, () => state.forgetSilent(before)),
  };
}
