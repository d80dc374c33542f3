import { expect, test } from "vitest";
import { shareChoices, shareWords } from "./port-words.ts";

test.each([
  ["off", []],
  ["users", ["users 3600", "users 28800", "users null"]],
  ["public", ["users 3600", "users 28800", "users null", "public 3600", "public 28800", "public null"]],
] as const)("where the operator allows %s, there is that to choose", (bound, expected) => {
  expect(shareChoices(bound).map(({ audience, for_seconds }) => `${audience} ${for_seconds}`)).toEqual(expected);
});

test("what public means is said before, and how long it lasts", () => {
  const open = shareWords(3_000, { audience: "public", for_seconds: 3_600 });
  expect([open.title, open.text]).toEqual([
    "Make port 3000 public?",
    expect.stringMatching(/^For 1 hour, everybody on the network .* without signing in.* no debugger/s),
  ]);
  const users = shareWords(3_000, { audience: "users", for_seconds: null });
  expect(users.text).toMatch(/^Until you close it, everybody with an account/);
  expect(users.text).not.toContain("debugger");
});
