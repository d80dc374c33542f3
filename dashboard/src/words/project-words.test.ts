import { expect, test } from "vitest";
import { hasOutput, nameWords, stepWords } from "./project-words.ts";

test.each([
  [{ state: null, exit_code: null }, false, true, "not run"],
  [{ state: "done", exit_code: 0 }, true, false, "runs when the workspace does"],
  [{ state: null, exit_code: null }, true, true, "waits"],
  [{ state: "failed", exit_code: 3 }, true, true, "failed with code 3"],
  [{ state: "already", exit_code: null }, true, true, "done before"],
  [{ state: "partly", exit_code: null }, true, true, "partly failed, tried again at the next start"],
  [{ state: "unable", exit_code: null }, true, true, "not possible with the IDE of this image"],
] as const)("%o, agreed to: %s, running: %s: %s", (step, allowed, running, words) => {
  expect(stepWords(step, allowed, running)).toBe(words);
});

test.each([
  ["extensions", "Extensions of the IDE"],
  ["settings", "Settings of the IDE"],
  ["onCreate", "onCreate"],
])("%s is called %s", (name, words) => {
  expect(nameWords(name)).toBe(words);
});

test.each([
  ["running", true, true],
  ["already", true, true],
  ["done", false, false],
  ["skipped", true, false],
  [null, true, false],
] as const)("of a step that is %s, while its workspace runs (%s), output can be shown: %s", (state, running, can) => {
  expect(hasOutput(state, running)).toBe(can);
});
