import { expect, test } from "vitest";
import { disableWords, resetWords, restoreWords } from "./question-words.ts";

test.each([
  ["disabling", disableWords("hana"), /Disable hana/, /secrets are deleted for good; workspaces and homes stay/],
  ["a new password", resetWords("hana"), /password of hana/, /signed out everywhere, and their tokens end/],
])("%s names whom it hurts and what is lost by it", (_, { title, text }, whom, lost) => {
  expect(title).toMatch(whom);
  expect(text).toMatch(lost);
});

test("what becomes of the present home is said where there is one", () => {
  const archive = { created_at: "2026-11-15T10:00:00.000Z" };
  expect(restoreWords("lab", archive, false).text).toContain("stays in the list as an older version");
  expect(restoreWords("lab", archive, true).text).not.toContain("older version");
});
