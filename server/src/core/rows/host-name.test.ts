import fc from "fast-check";
import { expect, test } from "vitest";
import { hostNameOf } from "./host-name.ts";

test.each([
  ["payments-service", "payments-service"],
  ["Payments Service", "payments-service"],
  ["  Müller's Übung №3 ", "muller-s-ubung-no3"],
  ["a__b..c", "a-b-c"],
  ["-leading and trailing-", "leading-and-trailing"],
  ["日本語", "workspace"],
  ["", "workspace"],
  ["x".repeat(100), "x".repeat(63)],
  [`${"x".repeat(62)} y`, "x".repeat(62)],
  ["../../etc; rm -rf /", "etc-rm-rf"],
])("%j is called %s", (name, label) => {
  expect(hostNameOf(name)).toBe(label);
});

test("whatever the name, it is a valid label", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 120 }), (name) => {
      expect(hostNameOf(name)).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    }),
  );
});
