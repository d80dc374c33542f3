import { expect, it } from "vitest";
import { MemoryActivityBuffer } from "#adapters/memory/activity.ts";
import type { CoordinatorDeps } from "#coordinator/deps.ts";
import { DECISIONS } from "#coordinator/deps.ts";
import type { TermContext } from "#coordinator/term.ts";
import { ttlRunner } from "#coordinator/ttl.ts";
import type { ActivityGap } from "#core/requests/idle.ts";
import type { ActivityBuffer } from "#ports/activity.ts";
import { DEFAULT_SETTINGS } from "../fixtures/settings.ts";
import { AT_REST, NOW } from "../fixtures/workspace.ts";

/** One round of the TTL runner over one running workspace; tells what was written and what the demotion was judged by. */
async function round(activity: ActivityBuffer): Promise<{ touched: Set<string>; gaps: (ActivityGap | null)[] }> {
  const touched = new Set<string>();
  const gaps: (ActivityGap | null)[] = [];
  const row = AT_REST.RUNNING();
  const requestStore = {
    touch: async (accesses: ReadonlyMap<string, number>) => {
      for (const id of accesses.keys()) touched.add(id);
    },
    listIdleCandidates: async () => [row.id],
    read: async () => row,
    change: async (_id: string, _options: object, decide: (facts: object) => unknown) => decide({ row, now: NOW }),
    longestStandbyTtlSeconds: async (seconds: number) => seconds,
  };
  const decisions = {
    ...DECISIONS,
    requestDemotion: (input: Parameters<typeof DECISIONS.requestDemotion>[0]) => {
      gaps.push(input.gap);
      return DECISIONS.requestDemotion(input);
    },
  };
  const deps = { activity, requestStore, decisions, settings: DEFAULT_SETTINGS, clock: { monotonicMs: () => 0 } };
  const term = {
    deps: deps as unknown as CoordinatorDeps,
    databaseClock: { isKnown: true, now: () => NOW },
    signal: new AbortController().signal,
  } as unknown as TermContext;
  await ttlRunner(term)();
  return { touched, gaps };
}

it("writes down everybody who was there, however many they are", async () => {
  const activity = new MemoryActivityBuffer();
  const entries = Array.from({ length: 12_001 }, (_, index) => ({ workspaceId: `w${index}`, at: NOW + index }));
  await activity.record("proxy", NOW, entries);
  const { touched } = await round(activity);
  expect(touched.size).toBe(entries.length);
  expect(await activity.read(1)).toEqual([]);
});

it("does not take a proxy for heard whose words came between two looks", async () => {
  const activity = new MemoryActivityBuffer();
  await activity.record("proxy", NOW - 600_000, []);
  let looks = 0;
  const between = <A extends unknown[], R>(look: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      const seen = await look.apply(activity, args);
      if (looks++ === 0) await activity.record("proxy", NOW, [{ workspaceId: "w", at: NOW }]);
      return seen;
    };
  };
  const { touched, gaps } = await round({
    record: (...args) => activity.record(...args),
    removeUnchanged: (entries) => activity.removeUnchanged(entries),
    forget: (source) => activity.forget(source),
    forgetSilent: (before) => activity.forgetSilent(before),
    read: between(activity.read),
    sources: between(activity.sources),
  });
  expect(touched.has("w") || gaps.every((gap) => gap !== null)).toBe(true);
});
