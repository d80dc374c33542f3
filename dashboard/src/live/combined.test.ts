import { describe, expect, test } from "vitest";
import { sampleWorkspace } from "../words/sample.ts";
import { combined, isBehind } from "./combined.ts";

const whole = sampleWorkspace({ version: 5, memo: "all of it", phase: "STANDBY" });

describe("what a page shows of a workspace", () => {
  test("is the row's where the row is newer, and the rest of what was last told", () => {
    const row = sampleWorkspace({ version: 6, phase: "RUNNING", name: "renamed", memo: null });
    expect(combined(whole, row)).toMatchObject({ version: 6, phase: "RUNNING", name: "renamed", memo: "all of it" });
  });

  test("is the answer's where the answer is newer, or there is no row", () => {
    expect(combined(whole, sampleWorkspace({ version: 4, phase: "RUNNING" }))).toBe(whole);
    expect(combined(whole, undefined)).toBe(whole);
  });

  test("is the row's progress while both are of the same change", () => {
    const progress = { stage: "packing", bytes_done: 1, files_done: 1, updated_at: "2026-11-15T10:00:00.000Z" };
    const row = sampleWorkspace({
      version: 5,
      progress: { ...progress, bytes_total: null, files_total: null, rate_bytes_per_second: null, eta_seconds: null },
    });
    expect(combined(whole, row)).toEqual({ ...whole, progress: row.progress });
  });
});

test.each([
  ["nothing was told yet", undefined, sampleWorkspace({ version: 1 }), true],
  ["the row is newer, whenever it became so", whole, sampleWorkspace({ version: 6 }), true],
  ["both are of the same change", whole, sampleWorkspace({ version: 5 }), false],
  ["an answer overtook the event", whole, sampleWorkspace({ version: 4 }), false],
  ["there is no row", whole, undefined, false],
])("asked for again: %s", (_, known, row, expected) => {
  expect(isBehind(known, row)).toBe(expected);
});
