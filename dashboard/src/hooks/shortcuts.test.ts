import { expect, test } from "vitest";
import { modifierOn } from "./shortcuts.ts";

test.each([
  ["MacIntel", "⌘", "Meta"],
  ["iPhone", "⌘", "Meta"],
  ["iPad", "⌘", "Meta"],
  ["Linux x86_64", "Ctrl ", "Control"],
  ["Win32", "Ctrl ", "Control"],
  ["", "Ctrl ", "Control"],
])("on %j it is %j", (platform, shown, name) => {
  expect(modifierOn(platform)).toEqual({ shown, name });
});
