import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMarkers } from "./markers.ts";
import { runnerScript } from "./runner.ts";
import { exportLines } from "./shell.ts";

test("variables for shells are kept from the IDE", () => {
  const environment = [
    { name: "PATH", value: ["/x"], isForShells: true },
    { name: "A", value: ["b"], isForShells: false },
  ];
  expect(exportLines(environment, true)).toEqual(["A='b'; export A"]);
  expect(exportLines(environment, false)).toHaveLength(2);
});

test("a name that is not plain is a mistake of the program, not text for a shell", () => {
  const input = {
    steps: [{ name: "a; id", runs: "once", commands: [], digest: "abc" } as const],
    ide: [],
    environment: [],
    folder: "app",
    run: "r1",
  };
  expect(() => runnerScript(input)).toThrow(/not plain/);
  expect(() => runnerScript({ ...input, steps: [], run: "$(id)" })).toThrow(/not plain/);
});

const marker = (over: object): string =>
  `\u001ecodehub ${JSON.stringify({ run: "r1", n: 1, step: "onCreate", state: "running", code: null, at: 1_700_000_000, ...over })}`;

describe("marker lines", () => {
  test("tell how far each step has come", () => {
    const lines = [
      "code-server listens",
      marker({}),
      "more",
      marker({ n: 2, state: "failed", code: 7, at: 1_700_000_009 }),
      marker({ n: 3, step: "postStart", state: "skipped" }),
      marker({ n: 4, step: "end", state: "ready" }),
    ];
    expect(readMarkers(lines, "r1")).toEqual({
      steps: [
        { name: "onCreate", state: "failed", exitCode: 7, startedAt: 1_700_000_000_000, endedAt: 1_700_000_009_000 },
        { name: "postStart", state: "skipped", exitCode: null, startedAt: null, endedAt: 1_700_000_000_000 },
      ],
      isOver: true,
    });
  });

  test.each([
    ["another run", marker({ run: "r2" })],
    ["no number", marker({ n: 0 })],
    ["a number twice", `${marker({ n: 5 })}`.replace('"n":5', '"n":1e400')],
    ["another state", marker({ state: "exploded" })],
    ["another name", marker({ step: "<script>" })],
    ["ready of a step", marker({ state: "ready" })],
    ["a code where there is none", marker({ code: 0 })],
    ["a good end with a bad code", marker({ state: "done", code: 1 })],
    ["a code that is none", marker({ state: "failed", code: 300 })],
    ["a time that is none", marker({ at: -1 })],
    ["a field more", marker({ extra: 1 })],
    ["words behind it", `${marker({})} x`],
    ["words before it", ` ${marker({})}`],
    ["too long", marker({ step: "a".repeat(5000) })],
    ["no JSON", "\u001ecodehub {"],
    ["a list", "\u001ecodehub []"],
  ])("are read strictly: %s", (_, line) => {
    expect(readMarkers([line], "r1")).toEqual({ steps: [], isOver: false });
  });

  test("tell of what was done in part, or cannot be done here", () => {
    const lines = [marker({ state: "partly" }), marker({ step: "settings", state: "unable" })];
    expect(readMarkers(lines, "r1").steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "onCreate partly",
      "settings unable",
    ]);
    expect(readMarkers([marker({ state: "partly", code: 1 })], "r1").steps).toEqual([]);
  });

  test("of two shells, each with numbers of its own, are both heard", () => {
    const lines = [
      marker({ n: 7 }),
      marker({ n: 1, step: "extensions" }),
      marker({ n: 2, step: "extensions", state: "done", code: 0 }),
    ];
    expect(readMarkers(lines, "r1").steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "onCreate running",
      "extensions done",
    ]);
  });

  test("that come again or late change nothing", () => {
    const lines = [
      marker({ n: 3, state: "done", code: 0 }),
      marker({ n: 2 }),
      marker({ n: 3, state: "failed", code: 1 }),
    ];
    expect(readMarkers(lines, "r1").steps.map(({ state }) => state)).toEqual(["done"]);
  });

  test("whatever a log holds, reading it never fails", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => `\u001ecodehub ${JSON.stringify(value)}`),
    );
    fc.assert(
      fc.property(fc.array(piece), (lines) => {
        expect(readMarkers(lines, "r1").steps).toEqual([]);
      }),
    );
  });
});
