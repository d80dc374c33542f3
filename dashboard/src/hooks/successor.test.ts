import { expect, test } from "vitest";
import { successor } from "./successor.ts";

const list = (text: string) => text.split(" ").filter(Boolean);

test.each([
  ["another in its place", "a | c", "a B c", "a B c", "B"],
  ["the first of several in its place", "a | c", "a B B2 c", "a B B2 c", "B"],
  ["what came after it", "a | c d", "a c d", "a c d", "c"],
  ["after it something else was taken away, too", "a | c d", "a d", "a d", "d"],
  ["it was the last one", "a b |", "a b", "a b", "b"],
  ["what came after it is another part of the page", "a | c", "a c", "a", "a"],
  ["what is in its place is another part of the page", "a | c", "a X c", "c", "c"],
  ["its part of the page is empty now", "a | c", "a c", "", "c"],
  ["at the end of an empty part", "a |", "a", "", "a"],
  ["nothing is known of what is there now", "a | c", "x y", "y", "y"],
  ["nothing is left", "a | c", "", "", null],
])("%s: %s, now %j, near are %j: %j", (_name, around, now, near, expected) => {
  const [before = "", after = ""] = around.split("|");
  const isNear = (one: string) => list(near).includes(one);
  expect(successor({ before: list(before), after: list(after) }, list(now), isNear)).toBe(expected);
});
