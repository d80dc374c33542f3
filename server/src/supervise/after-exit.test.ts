import { describe, expect, test } from "vitest";
import { afterExit, type Ending } from "./after-exit.ts";

const ending = (change: Partial<Ending>): Ending => ({
  code: null,
  signal: null,
  problem: null,
  told: false,
  everReady: true,
  readyMs: 5_000,
  failures: 0,
  ...change,
});

describe("what becomes of a child that has ended", () => {
  test.each<[string, Partial<Ending>, RegExp]>([
    ["a kill", { signal: "SIGKILL" }, /was killed \(SIGKILL\).*memory.*started again at once/],
    ["too little memory", { signal: "SIGABRT" }, /memory ran out.*started again at once/],
    ["too little memory, by code", { code: 134 }, /memory ran out/],
    ["a segmentation fault", { signal: "SIGSEGV" }, /ended by SIGSEGV/],
    ["a signal that was meant for it alone", { signal: "SIGTERM" }, /ended by SIGTERM.*started again/],
    ["a fault", { code: 70 }, /nobody expected/],
    ["a start that failed", { code: 1, everReady: false, readyMs: 0 }, /code 1.*started again in 1 s/],
    [
      "a program that is not there",
      { problem: "ENOENT", everReady: false, readyMs: 0 },
      /could not be started: ENOENT/,
    ],
    ["a port that somebody took while it was gone", { code: 69, everReady: true, readyMs: 0 }, /in use.*started again/],
  ])("%s: it is started again", (_name, change, words) => {
    const worked = (change.readyMs ?? 5_000) > 0;
    expect(afterExit("server", ending(change))).toEqual({
      kind: "restart",
      afterMs: worked ? 0 : 1_000,
      failures: 1,
      words: expect.stringMatching(words),
    });
  });

  test.each<[string, Partial<Ending>, number, RegExp]>([
    ["a configuration error", { code: 78, everReady: false, readyMs: 0 }, 78, /changed first.*not restarted/],
    ["a configuration error, later", { code: 78 }, 78, /not restarted/],
    ["another server in its place", { code: 69, everReady: false, readyMs: 0 }, 69, /in use.*not restarted/],
    ["an end in order that it decided itself", { code: 0 }, 0, /not started again/],
    ["being told", { code: 0, told: true }, 0, /^$/],
    ["being told before it listens", { signal: "SIGTERM", told: true, everReady: false, readyMs: 0 }, 0, /^$/],
    ["being told, and being ended by it", { signal: "SIGTERM", told: true }, 1, /SIGTERM/],
    ["being told, and taking too long", { signal: "SIGKILL", told: true }, 1, /did not stop in time/],
    ["being told, and failing at it", { code: 1, told: true }, 1, /code 1/],
    ["being told while it waits to be started", { code: 78, told: true }, 1, /./],
  ])("%s: it is not", (_name, change, exitCode, words) => {
    const next = afterExit("server", ending(change));
    expect(next).toEqual({ kind: "stop", exitCode, words: expect.stringMatching(words) });
  });

  const waits = (readyMs: number): number[] => {
    const seen: number[] = [];
    for (let failures = 0; seen.length < 8; ) {
      const next = afterExit("server", ending({ signal: "SIGKILL", failures, readyMs }));
      if (next.kind !== "restart") break;
      seen.push(next.afterMs);
      ({ failures } = next);
    }
    return seen;
  };

  test("one that did its work is started again at once, then after twice as long each time, up to half a minute", () => {
    expect(waits(59_999)).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test("one that never did waits from the beginning", () => {
    expect(waits(0)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("one that was well for a minute has recovered from what was before", () => {
    expect(waits(60_000)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    const next = afterExit("server", ending({ signal: "SIGKILL", failures: 8, readyMs: 60_000 }));
    expect(next).toMatchObject({ failures: 1, words: expect.stringMatching(/started again at once\.$/) });
  });
});
