import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainOutput, readOutput } from "./output.ts";

const decode = (data: string): Uint8Array => Buffer.from(data, "base64");
function piece(text: string, over: object = {}): string {
  const data = Buffer.from(text).toString("base64");
  return `\u001ecodehub ${JSON.stringify({ run: "r1", step: "onCreate", part: "head", from: 0, gap: 0, data, ...over })}`;
}
function read(...lines: string[]) {
  const { head, tail, hasGap } = readOutput(lines, "r1", "onCreate", decode);
  return { head: Buffer.from(head).toString(), tail: Buffer.from(tail).toString(), hasGap };
}

describe("the output of a step", () => {
  test.each([
    ["is put together", [piece("one "), "code-server listens", piece("two", { from: 4 })], ["one two", "", false]],
    [
      "may be told twice, also in other pieces",
      [piece("one "), piece("one two"), piece("one")],
      ["one two", "", false],
    ],
    ["has no holes", [piece("one"), piece("three", { from: 9 })], ["one", "", false]],
    ["has latest words, and then later ones", [recent("old"), recent("new")], ["", "new", true]],
    [
      "has its end in place of latest words",
      [recent("old"), tail("e"), tail("nd", 1), recent("late")],
      ["", "end", true],
    ],
  ])("%s", (_, lines, [head, end, hasGap]) => {
    expect(read(...lines)).toEqual({ head, tail: end, hasGap });
  });

  function recent(text: string): string {
    return piece(text, { part: "recent", gap: 1 });
  }
  function tail(text: string, from = 0): string {
    return piece(text, { part: "tail", gap: 1, from });
  }

  test.each([
    ["another run", piece("x", { run: "r2" })],
    ["another step", piece("x", { step: "postStart" })],
    ["another part", piece("x", { part: "middle" })],
    ["a place that is none", piece("x", { from: -1 })],
    ["a place too far", piece("x", { from: 1e9 })],
    ["a gap that is none", piece("x", { gap: 2 })],
    ["no data", piece("x", { data: "" })],
    ["data that is none", piece("x", { data: "eHh4<b>" })],
    ["a field more", piece("x", { extra: 1 })],
    ["too long", piece("x".repeat(3100))],
    ["words behind it", `${piece("x")} x`],
  ])("is read strictly: %s", (_, line) => {
    expect(read(line)).toEqual({ head: "", tail: "", hasGap: false });
  });

  test("is bounded, whatever a workspace makes up", () => {
    const text = "x".repeat(2400);
    const lines = Array.from({ length: 100 }, (_, index) => piece(text, { from: Math.min(index * 2400, 65_536) }));
    expect(read(...lines).head.length).toBeLessThanOrEqual(65_536);
  });

  test("never fails to be read", () => {
    const line = fc.oneof(
      fc.string(),
      fc
        .record({ part: fc.constantFrom("head", "recent", "tail"), from: fc.nat(20), gap: fc.nat(1) })
        .map((over) => piece("abc", over)),
    );
    fc.assert(fc.property(fc.array(line), (lines) => void read(...lines)));
  });
});

test.each([
  ["colours", "\u001b[1;31mred\u001b[0m", "red"],
  ["a title", "\u001b]0;pwned\u0007title\u001b]8;;http://x\u001b\\link", "titlelink"],
  ["a screen that is cleared", "a\u001b[2J\u001bcb", "ab"],
  ["lines that are written over", "10 %\r50 %\r100 %\ndone\r\n", "100 %\ndone\n"],
  ["what is left alone", "a\tb\nü €", "a\tb\nü €"],
  ["signs that turn a line around, and others that cannot be seen", "a\u202eb\u0000\u0007", "ab"],
])("for people: %s", (_, text, plain) => {
  expect(plainOutput(text)).toBe(plain);
});
