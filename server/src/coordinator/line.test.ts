import { describe, expect, test } from "vitest";
import type { OperationName, Workspace } from "#core/rows/workspace.ts";
import { PATIENCE_MS } from "#core/rules/room.ts";
import { DEFAULT_SETTINGS } from "../../test/fixtures/settings.ts";
import { AT_REST } from "../../test/fixtures/workspace.ts";
import { Line } from "./line.ts";
import type { TermContext } from "./term.ts";

const SETTINGS = { ...DEFAULT_SETTINGS, maxStarts: 2, startingMs: 1_000 };

function lineAt() {
  const clock = { now: 0 };
  const deps = { settings: SETTINGS, clock: { monotonicMs: () => clock.now } };
  return { clock, line: new Line({ deps } as unknown as TermContext) };
}

const row = (id: string, desiredState: Workspace["desiredState"] = "RUNNING"): Workspace => ({
  ...AT_REST.STANDBY(),
  id,
  desiredState,
});
const starting = { operation: "STARTING", awaited: true } as const;

describe("the line", () => {
  test("keeps a place from the question on, also for those who have not begun", () => {
    const { line } = lineAt();
    expect(["a", "b", "c", "d"].map((id) => line.ask(row(id), "STARTING"))).toEqual([true, true, false, false]);
    expect(line.callUp()).toEqual([]);
    line.begin("a", starting);
    line.passed("a");
    expect(line.callUp()).toEqual([]);
    line.end("a", "done");
    expect(line.callUp()).toEqual(["c"]);
    expect(line.callUp()).toEqual([]);
    // The one that did not use its place leaves it with its pass.
    line.passed("b");
    expect(line.callUp()).toEqual(["d"]);
  });

  test("asks twice for the same one without taking a second place", () => {
    const { line } = lineAt();
    expect([line.ask(row("a"), "STARTING"), line.ask(row("a"), "STARTING")]).toEqual([true, true]);
    expect(line.ask(row("b"), "STARTING")).toBe(true);
  });

  test("goes by who asked first on the way to what is requested", () => {
    const { line, clock } = lineAt();
    line.ask(row("first"), "PROVISIONING");
    line.begin("first", { operation: "PROVISIONING", awaited: true });
    line.ask(row("second"), "STARTING");
    line.begin("second", starting);
    clock.now = 10;
    line.ask(row("later"), "PROVISIONING");
    clock.now = 20;
    line.end("first", "done");
    expect(line.callUp()).toEqual(["later"]);
    line.begin("later", { operation: "PROVISIONING", awaited: true });
    expect(line.ask(row("last"), "STARTING")).toBe(false);
    clock.now = 30;
    expect(line.ask(row("first"), "STARTING")).toBe(false);
    line.end("second", "done");
    expect(line.callUp()).toEqual(["first"]);
  });

  test("forgets how long it was when it is where it was requested, or failed", () => {
    for (const forget of ["settled", "failed"] as const) {
      const { line, clock } = lineAt();
      for (const id of ["a", "b"]) {
        line.ask(row(id), "STARTING");
        line.begin(id, starting);
      }
      clock.now = 10;
      line.ask(row("c"), "STARTING");
      if (forget === "failed") line.end("a", "failed");
      else {
        line.end("a", "done");
        line.settled("a");
      }
      clock.now = 20;
      expect(line.callUp()).toEqual(["c"]);
      expect(line.ask(row("a"), "STARTING")).toBe(false);
      line.end("b", "done");
      expect(line.callUp()).toEqual(["a"]);
    }
  });

  test("lets housekeeping keep the turn that it got by waiting", () => {
    const { line, clock } = lineAt();
    const archive = (id: string) => line.ask(row(id, "ARCHIVED"), "PROVISIONING" satisfies OperationName);
    expect([archive("a"), archive("b")]).toEqual([true, false]);
    line.begin("a", { operation: "PROVISIONING", awaited: false });
    line.passed("a");
    expect(line.callUp()).toEqual([]);
    clock.now = PATIENCE_MS;
    line.end("a", "done");
    line.ask(row("c"), "STARTING");
    line.begin("c", starting);
    expect(line.callUp()).toEqual(["b"]);
    expect(archive("b")).toBe(true);
  });

  test("lets one of the patient have a place of people's and not all of them, however often it is asked", () => {
    const { line, clock } = lineAt();
    const archive = (id: string) => line.ask(row(id, "ARCHIVED"), "ARCHIVING");
    const person = (id: string) => line.ask(row(id), "RESTORING");
    const { maxStorageJobs } = SETTINGS;
    const people = Array.from({ length: maxStorageJobs - 1 }, (_, index) => `person ${index}`);
    for (const id of people) {
      expect(person(id)).toBe(true);
      line.begin(id, { operation: "RESTORING", awaited: true });
    }
    expect(["a", "b", "c"].map(archive)).toEqual([false, false, false]);
    clock.now = PATIENCE_MS;
    expect(line.callUp()).toEqual(["a"]);
    for (const id of people.slice(0, 1)) line.end(id, "done");
    expect([line.callUp(), line.callUp()]).toEqual([[], []]);
    expect([archive("a"), archive("a")]).toEqual([true, true]);
    expect(person("next")).toBe(true);
  });

  test("keeps people a place for their home also after an outage", () => {
    const { line } = lineAt();
    for (let failed = 0; failed < 8; failed += 1) {
      line.begin("x", { operation: "ARCHIVING", awaited: false });
      line.end("x", "unreached");
    }
    expect(line.ask(row("a", "ARCHIVED"), "ARCHIVING")).toBe(true);
    line.begin("a", { operation: "ARCHIVING", awaited: false });
    expect(line.ask(row("b", "ARCHIVED"), "ARCHIVING")).toBe(false);
    expect(line.ask(row("c"), "RESTORING")).toBe(true);
  });

  test("says when a place will be free although nothing ends", () => {
    const { line, clock } = lineAt();
    expect(line.nextCallAt()).toBe(Number.POSITIVE_INFINITY);
    for (const id of ["a", "b"]) {
      line.ask(row(id), "STARTING");
      line.begin(id, starting);
    }
    clock.now = 300;
    line.ask(row("c"), "STARTING");
    expect(line.nextCallAt()).toBe(1_000);
    clock.now = 1_000;
    expect(line.callUp()).toEqual(["c"]);
    expect(line.nextCallAt()).toBe(Number.POSITIVE_INFINITY);
  });
});
