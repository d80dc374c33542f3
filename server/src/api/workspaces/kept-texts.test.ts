import { expect, test } from "vitest";
import { KeptTexts } from "./kept-texts.ts";

const MINUTE = 60_000;
const ten = "ten chars.";

function keptAt(now: number, characters = 1000): KeptTexts {
  const kept = new KeptTexts({ characters, turnMs: MINUTE });
  kept.turn(now);
  return kept;
}

test("a text is found with its own stamp only, and a newer one takes its place", () => {
  const kept = keptAt(0);
  kept.keep("a", "1", "one");
  expect([kept.get("a", "1"), kept.get("a", "2"), kept.get("b", "1")]).toEqual(["one", undefined, undefined]);
  kept.keep("a", "2", "two");
  expect([kept.get("a", "1"), kept.get("a", "2")]).toEqual([undefined, "two"]);
});

test("a text of the turn before does not come back where it was replaced since", () => {
  const kept = keptAt(0);
  kept.keep("a", "1", "one");
  kept.turn(MINUTE);
  kept.keep("a", "2", "two");
  expect(kept.get("a", "1")).toBeUndefined();
});

test("what nobody asked for during a whole turn is gone, and the rest stays", () => {
  const kept = keptAt(0);
  kept.keep("asked", "1", "x");
  kept.keep("forgotten", "1", "y");
  kept.turn(MINUTE);
  expect(kept.get("asked", "1")).toBe("x");
  kept.turn(2 * MINUTE - 1);
  kept.turn(2 * MINUTE);
  expect([kept.get("asked", "1"), kept.get("forgotten", "1")]).toEqual(["x", undefined]);
});

test("a clock that was put back does not keep anything for longer", () => {
  const kept = keptAt(100 * MINUTE);
  kept.keep("a", "1", "x");
  kept.turn(MINUTE);
  kept.turn(2 * MINUTE);
  expect(kept.get("a", "1")).toBeUndefined();
});

test("there is never more than twice the limit, and the same text kept again is counted once", () => {
  const kept = keptAt(0, 25);
  for (let again = 0; again < 100; again += 1) kept.keep("same", "1", ten);
  kept.turn(1);
  kept.keep("other", "1", ten);
  expect([kept.get("same", "1"), kept.get("other", "1")]).toEqual([ten, ten]);
  for (let id = 0; id < 100; id += 1) {
    kept.turn(1);
    kept.keep(String(id), "1", ten);
  }
  const left = Array.from({ length: 100 }, (_, id) => kept.get(String(id), "1")).filter((text) => text !== undefined);
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThanOrEqual(6);
});
