import { describe, expect, test } from "vitest";
import { AT_REST, NOW } from "../../../test/fixtures/workspace.ts";
import { awakeLeftMs, requestKeepAwake, sleepAhead } from "./keep-awake.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const slots = { ofOwner: 0, global: 0 };
const running = (over: Partial<ReturnType<typeof AT_REST.RUNNING>> = {}) => ({ ...AT_REST.RUNNING(), ...over });
const ask = (row: ReturnType<typeof running> | null, maxMs: number, now = NOW) =>
  requestKeepAwake({ row, now, slots }, maxMs, "ada");

describe("an hour more", () => {
  test.each([
    ["the first time", {}, 8 * HOUR, NOW + HOUR, NOW, 3_600],
    ["again after half of it", { keepAwakeUntil: NOW + HOUR / 2 }, 8 * HOUR, NOW + HOUR, NOW, 1_800],
    [
      "of what is left today",
      { awakeAskedFrom: NOW - HOUR, awakeAskedSeconds: 3_600 },
      90 * MINUTE,
      NOW + HOUR / 2,
      NOW - HOUR,
      5_400,
    ],
    ["a day later", { awakeAskedFrom: NOW - DAY, awakeAskedSeconds: 3_600 }, HOUR, NOW + HOUR, NOW, 3_600],
    ["after an old one", { keepAwakeUntil: NOW - DAY }, HOUR, NOW + HOUR, NOW, 3_600],
  ] as const)("%s", (_name, over, maxMs, until, from, seconds) => {
    const verdict = ask(running(over), maxMs);
    expect(verdict.write).toEqual({ keepAwakeUntil: until, awakeAskedFrom: from, awakeAskedSeconds: seconds });
  });

  test.each([
    ["none is allowed", {}, 0],
    ["today's is spent", { awakeAskedFrom: NOW - DAY + 1, awakeAskedSeconds: 3_600 }, HOUR],
    ["it has the hour already", { keepAwakeUntil: NOW + HOUR }, 8 * HOUR],
    ["it would add less than a minute", { keepAwakeUntil: NOW + HOUR - MINUTE + 1 }, 8 * HOUR],
    ["its owner keeps it awake for longer", { keepAwakeUntil: NOW + DAY }, 8 * HOUR],
  ])("changes nothing where %s", (_name, over, maxMs) => {
    expect(ask(running(over), maxMs)).toEqual({ write: null, result: { accepted: true } });
  });

  test("wakes nothing, and is nobody's who is gone", () => {
    expect(ask(null, HOUR).result).toEqual({ accepted: false, refusal: "NOT_FOUND" });
    expect(ask(running({ deletedAt: NOW }), HOUR).result).toEqual({ accepted: false, refusal: "DELETED" });
    expect(ask(AT_REST.STANDBY(), HOUR).result).toEqual({ accepted: false, refusal: "WRONG_PHASE" });
  });

  test("asked for in a loop all day, is the operator's bound and no more", () => {
    const maxMs = 3 * HOUR;
    let row = running();
    let writes = 0;
    let awakeMs = 0;
    for (let now = NOW; now < NOW + DAY; now += 10_000) {
      const { write } = ask(row, maxMs, now);
      if (write !== null) {
        writes += 1;
        row = { ...row, ...write };
      }
      if ((row.keepAwakeUntil ?? 0) > now) awakeMs += 10_000;
    }
    expect(awakeMs).toBeLessThanOrEqual(maxMs);
    expect(awakeMs).toBeGreaterThan(maxMs - 2 * MINUTE);
    expect(writes).toBeLessThan(200);
    expect(awakeLeftMs(row, maxMs, NOW + DAY - 1)).toBeLessThan(MINUTE);
    expect(awakeLeftMs(row, maxMs, NOW + DAY)).toBe(maxMs);
  });
});

describe("the warning", () => {
  const ttl = (standbyTtlSeconds: number) => ({ standbyTtlSeconds, archiveTtlSeconds: 0 });
  const at = { lastAccessAt: NOW - MINUTE, phaseChangedAt: NOW - HOUR };

  test.each([
    ["two minutes before", 600, 120_000],
    ["a quarter of a short time", 60, 15_000],
    ["at the edge", 480, 120_000],
  ])("comes %s", (_name, seconds, warnMs) => {
    expect(sleepAhead(running(at), ttl(seconds))).toEqual({ at: NOW - MINUTE + seconds * 1_000, warnMs });
  });

  test("is counted from when it is kept awake until, and by its own time", () => {
    const row = running({ ...at, keepAwakeUntil: NOW + HOUR, standbyTtlSeconds: 120 });
    expect(sleepAhead(row, ttl(600))).toEqual({ at: NOW + HOUR + 120_000, warnMs: 30_000 });
  });

  test.each([
    ["one that never sleeps", running(at), 0],
    ["one that sleeps already", AT_REST.STANDBY(), 600],
    ["one that is being stopped", running({ ...at, desiredState: "STANDBY" }), 600],
  ])("is none for %s", (_name, row, seconds) => {
    expect(sleepAhead(row, ttl(seconds))).toBeNull();
  });
});
