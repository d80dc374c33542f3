import { expect, test } from "vitest";
import { judgeSecrets, type SecretsSeen } from "./judge-secrets.ts";

const key = { id: "a", check: "is a" };
const other = { id: "a", check: "is not a" };

test.each<[string, Partial<SecretsSeen>, string]>([
  ["all as it should be", {}, "ok secrets_ok"],
  ["the database cannot be asked", { known: null }, "ok secrets_ok"],
  ["before the first start", { file: null, made: true, known: [] }, "ok secrets_none_yet"],
  ["nobody gave one", { file: null, known: [] }, "warning secrets_none"],
  ["lost", { file: null, made: true }, "broken secrets_missing"],
  ["without one that sealed", { file: [{ id: "b", check: "is b" }] }, "broken secrets_missing"],
  ["another one by the same name", { file: [other] }, "broken secrets_different"],
  ["damaged", { file: "SECRETS_KEY_FILE /x, line 2: …" }, "broken secrets_unreadable"],
  ["readable for everybody", { open: true }, "broken secrets_open"],
])("%s", (_name, seen, expected) => {
  const whole = { path: "/x", file: [key], open: false, made: false, known: [{ ...key, seals: true }], ...seen };
  const { check, level, code } = judgeSecrets(whole);
  expect(`${check} ${level} ${code}`).toBe(`secrets ${expected}`);
});
