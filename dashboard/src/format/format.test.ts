import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Time } from "../ui/basics.tsx";
import { ago, bytes, counted, hours, localInput, ttl, upcoming } from "./format.ts";

const noon = Date.parse("2026-11-15T12:00:00.000Z");
const minutes = 60_000;

test.each([
  ["a while ago", -8 * minutes, "8 min ago"],
  ["a day and a half ago", -36 * 60 * minutes, "36 h ago"],
  ["seconds ago", -4000, "just now"],
  ["now", 0, "just now"],
  ["within the second that the page's clock is behind", 900, "just now"],
  ["seconds ahead, by a clock that is a little behind", 4000, "just now"],
  ["minutes ahead, by a clock that is wrong", 8 * minutes, "just now"],
  ["a day ahead, by a clock that was never set", 24 * 60 * minutes, "just now"],
])("what has happened is never in the future: %s", (_, offset, text) => expect(ago(noon + offset, noon)).toBe(text));

test("a time on the page has happened unless it is said to be ahead, whatever its clock says", () => {
  // Drawn outside of a browser the page's clock stands at its beginning: every moment is ahead of it.
  const shown = (ahead: boolean) =>
    renderToStaticMarkup(createElement(Time, { at: new Date(noon).toISOString(), ahead }));
  expect(shown(false)).toContain(">just now</time>");
  expect(shown(true)).toMatch(/>in \d+ months<\/time>/);
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

test.each([
  [0, "0 h"],
  [0.001, "1 min"],
  [0.5, "30 min"],
  [1, "1 h"],
  [3.46, "3.5 h"],
  [9.96, "10 h"],
  [1234.4, "1,234 h"],
])("%d hours are %s", (value, text) => expect(hours(value)).toBe(text));
