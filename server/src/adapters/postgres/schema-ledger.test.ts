import { describe, expect, test } from "vitest";
import { connectionName, pendingOf, requireOthersCan, type Step, schemasOf, usableFrom } from "./schema-ledger.ts";

const step = (number: number, from: number = number): Step => ({
  number,
  name: `step-${number}`,
  checksum: `sum ${number}`,
  usableFrom: from,
});
const steps = (count: number): Step[] => Array.from({ length: count }, (_, index) => step(index + 1));

describe("what is left to do", () => {
  test.each<[string, number, Step[], number[] | RegExp]>([
    ["all of it in an empty database", 2, [], [1, 2]],
    ["what is new", 3, steps(2), [3]],
    ["nothing", 2, steps(2), []],
    ["nothing where others have added something", 2, [...steps(2), step(3, 2), step(4, 1)], []],
    ["refused where one of the steps is not for us", 2, [...steps(2), step(3, 3), step(4, 2)], /since migration 3/],
    ["refused where we are too old for all of them", 1, [...steps(2), step(3, 2)], /since migration 2/],
    ["refused where a step was another one", 2, [step(1), { ...step(2), checksum: "other" }], /another form/],
  ])("%s", (_name, known, ledger, expected) => {
    const judged = () => pendingOf(steps(known), ledger).map(({ number }) => number);
    if (expected instanceof RegExp) expect(judged).toThrow(expected);
    else expect(judged()).toEqual(expected);
  });

  test("a step that does not say who may go on is for those that know it", () => {
    expect(() => pendingOf(steps(1), [step(1), { ...step(2), usableFrom: null }])).toThrow(/since migration 2/);
  });
});

test("others are asked before something is done that they could not go on with", () => {
  expect(() => requireOthersCan([step(3, 2)], [2, 4])).not.toThrow();
  expect(() => requireOthersCan([step(3, 2), step(4)], [])).not.toThrow();
  expect(() => requireOthersCan([step(3, 2), step(4)], [3, 4])).toThrow(/Migration 4 .* up to 3/);
});

test("connections say what their program knows, and those of others nothing", () => {
  expect(schemasOf([connectionName("api", 12), "psql", "codehub listener", "codehub leader x"])).toEqual([12]);
});

test("those of 0.1.0 say nothing, and are known by their names", () => {
  expect(schemasOf(["codehub api", "codehub coordinator", connectionName("api", 12)])).toEqual([6, 6, 12]);
});

test("a migration says in its text who may go on, or is for those that know it", () => {
  expect(usableFrom("-- What it is for.\n-- Usable from schema 9 on.\nALTER TABLE x", 11)).toBe(9);
  expect(usableFrom("ALTER TABLE x", 11)).toBe(11);
});
