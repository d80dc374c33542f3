import { expect, test } from "vitest";
import { ago, bytes, counted, localInput, ttl, upcoming } from "./format.ts";

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

test("a local field value reads back as the same moment", () => {
  const at = Date.UTC(2026, 10, 15, 21, 4);
  expect(new Date(localInput(at)).getTime()).toBe(at);
});
