import { expect, test } from "vitest";
import { best, misfit, soughtWords } from "./find.ts";

test.each([
  ["", "Open notebook", 0],
  ["open note", "Open notebook", 0],
  ["NOTE open", "Open notebook", 0],
  ["service", "Start payments-service", 0],
  ["book", "Open notebook", 1],
  ["op", "Stop open-api", 0],
  ["ntbk", "Open notebook", 6],
  ["note gone", "Open notebook", null],
  ["oy", "Open a very long name of a notebook", null],
  ["(", "Open notebook", null],
])("%s in %s", (typed, text, expected) => {
  if (expected === null) expect(misfit(typed, text)).toBeNull();
  else expect(misfit(typed, text)).toBe(expected);
});

test("the best come first, equals as they came, and no more than are wanted", () => {
  const entries = ["Open notebook", "Stop box", "Open book", "Open booking", "Archive"].map((label) => ({ label }));
  expect(best("book", entries, 3).map(({ label }) => label)).toEqual(["Open book", "Open booking", "Open notebook"]);
  expect(best("", entries, 2)).toHaveLength(2);
});

test.each([
  ["", []],
  ["stop", []],
  ["Show Ant of Kai", ["ant", "kai"]],
  ["a ant", ["ant"]],
  ["ant ant", ["ant"]],
  ["one two three four", ["one", "two", "three"]],
  ["x".repeat(201), []],
])("in %j a server looks for %j", (typed, words) => {
  expect(soughtWords(typed)).toEqual(words);
});
