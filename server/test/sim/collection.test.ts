import { expect, it } from "vitest";
import { DECISIONS } from "#coordinator/deps.ts";
import { collectGarbage, removeMarked } from "#coordinator/gc.ts";
import type { TermContext } from "#coordinator/term.ts";
import { archiveKey } from "#core/rows/names.ts";
import type { LeaderStore } from "#ports/store.ts";
import { DEFAULT_SETTINGS } from "../fixtures/settings.ts";
import { Database } from "./database.ts";
import { leaderStore } from "./fake-store.ts";
import { Prng } from "./prng.ts";
import type { SimProcess } from "./process.ts";
import type { Call, Sim } from "./sim.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { gcIntervalMs, gcMarkAgeMs, gcRemovalIntervalMs } = DEFAULT_SETTINGS;

/** The production's cadence and rate on a clock that a test moves, without faults and without anything else that runs. */
function fleet(objects: readonly string[], refuses: ReadonlySet<string> = new Set()) {
  const clock = { now: 0 };
  const db = new Database("deployment", () => clock.now);
  const store = new Set(objects);
  const sim = { call: async <T>(call: Call<T>) => call.effect(), sometimes: () => undefined } as unknown as Sim;
  const leader: LeaderStore = leaderStore({ sim, db, process: { name: "leader" } as SimProcess }, db.epoch, {
    fence: true,
  });
  const archives = {
    storeId: async () => "store",
    readGeneration: async () => 0,
    list: async () => [...store].map((key) => ({ key, sizeBytes: 1, ageMs: 0 })),
    abortStaleUploads: async () => 0,
    remove: async (key: string) => {
      if (refuses.has(key)) throw new Error("access denied");
      store.delete(key);
    },
  };
  const quiet = (): void => undefined;
  const term = {
    store: leader,
    world: { archives, runtime: { kind: "simulated", engineId: async () => "engine" } },
    deps: { settings: DEFAULT_SETTINGS, decisions: DECISIONS },
    trust: { engine: null, store: null, bound: null },
    signal: new AbortController().signal,
    databaseClock: { now: () => clock.now },
    logger: { info: quiet, warn: quiet, error: quiet },
  } as unknown as TermContext;
  const run = async (untilMs: number, done: () => boolean): Promise<void> => {
    while (clock.now < untilMs && !done()) {
      if (clock.now % gcIntervalMs === 0) await collectGarbage(term);
      await removeMarked(term);
      clock.now += gcRemovalIntervalMs;
    }
  };
  return { clock, db, store, leader, run };
}

const keys = (random: Prng, count: number): string[] =>
  Array.from({ length: count }, () => archiveKey(random.uuid(), random.uuid()));

it("100,000 archives that nothing protects are gone a day after their marks aged", { timeout: 120_000 }, async () => {
  const { store, run, clock } = fleet(keys(new Prng(1, 1), 100_000));
  await run(gcMarkAgeMs + 24 * HOUR, () => store.size === 0);
  expect(store.size).toBe(0);
  expect(clock.now).toBeGreaterThanOrEqual(gcMarkAgeMs);
});

it("a purged home is gone within three hours, whatever waits before it", { timeout: 120_000 }, async () => {
  const random = new Prng(2, 1);
  const { store, run, leader, clock, db } = fleet(keys(random, 50_000));
  await run(3 * HOUR, () => false);
  const purged = keys(random, 20);
  for (const key of purged) {
    store.add(key);
    db.marks.set(key, { markedAt: clock.now, urgent: true, retryAt: null });
  }
  await run(clock.now + 3 * HOUR, () => purged.every((key) => !store.has(key)));
  expect(purged.filter((key) => store.has(key))).toEqual([]);
  expect((await leader.listMarks()).size).toBeGreaterThan(0);
});

it("archives that the store refuses to remove keep nothing else waiting, and stay marked", async () => {
  const all = keys(new Prng(3, 1), 1_000);
  const poison = new Set(all.slice(0, 500));
  const { store, run, leader } = fleet(all, poison);
  await run(gcMarkAgeMs + HOUR, () => store.size === poison.size);
  expect(store).toEqual(poison);
  expect(new Set((await leader.listMarks()).keys())).toEqual(poison);
});
