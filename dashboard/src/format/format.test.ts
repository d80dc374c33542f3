import { describe, expect, test } from "vitest";
import { ago, bytes, counted, duration, localInput, span, ttl, upcoming } from "./format.ts";

describe("span", () => {
  test.each([
    [0, "1 s"],
    [59_000, "59 s"],
    [59_600, "1 min"],
    [59.7 * 60_000, "1 h"],
    [60_000, "1 min"],
    [8 * 60_000, "8 min"],
    [3 * 3_600_000, "3 h"],
    [47 * 3_600_000, "47 h"],
    [2 * 86_400_000, "2 days"],
    [7 * 86_400_000, "7 days"],
    [61 * 86_400_000, "2 months"],
  ])("%d ms reads %s", (ms, text) => expect(span(ms)).toBe(text));
});

test("what has happened is never in the future, also when the page's clock is behind", () => {
  expect(ago(1_000_000, 1_000_000 + 480_000)).toBe("8 min ago");
  expect(ago(1_000_000, 1_004_000)).toBe("just now");
  expect(ago(1_004_000, 1_000_000)).toBe("just now");
  expect(ago(1_000_000 + 480_000, 1_000_000)).toBe("just now");
});

test("a moment that has passed is due, not in the past", () => {
  expect(upcoming(1000, 90_000)).toBe("any moment");
  expect(upcoming(1_000_000, 400_000)).toBe("in 10 min");
  expect(upcoming(1_004_000, 1_000_000)).toBe("in a moment");
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1 kB"],
  [1536, "1.5 kB"],
  [999_600, "1 MB"],
  [123_456_789, "123 MB"],
  [4_200_000_000, "4.2 GB"],
])("%d bytes read %s", (size, text) => expect(bytes(size)).toBe(text));

test.each([
  [0, "0 workspaces"],
  [1, "1 workspace"],
  [2, "2 workspaces"],
  [1234, "1,234 workspaces"],
])("%d is %s", (value, text) => expect(counted(value, "workspace")).toBe(text));

test("a TTL of zero is never", () => {
  expect(ttl(0)).toBe("never");
  expect(ttl(600)).toBe("10 min");
});

test("durations keep the digit that matters", () => {
  expect(duration(0.84)).toBe("0.8 s");
  expect(duration(42.4)).toBe("42 s");
  expect(duration(204)).toBe("3.4 min");
});

test("a local field value reads back as the same moment", () => {
  const at = Date.UTC(2026, 10, 15, 21, 4);
  expect(new Date(localInput(at)).getTime()).toBe(at);
});
