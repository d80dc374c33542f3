import { expect, test } from "vitest";
import { ideSteps } from "./ide-steps.ts";

const hash = (text: string): string => `h${text.length}`;
const names = (plan: Parameters<typeof ideSteps>[0]) => ideSteps(plan, hash).map(({ name }) => name);

test.each([
  [{ extensions: [], settings: {} }, []],
  [{ extensions: ["a.b"], settings: {} }, ["extensions"]],
  [{ extensions: ["a.b"], settings: { c: 1 } }, ["settings", "extensions"]],
])("%j is done in %j", (plan, expected) => {
  expect(names(plan)).toEqual(expected);
});

test("other extensions or settings are another step", () => {
  const digest = (extensions: string[]) => ideSteps({ extensions, settings: {} }, hash)[0]?.digest;
  expect(digest(["a.b"])).toBe(digest(["a.b"]));
  expect(digest(["a.b"])).not.toBe(digest(["a.b", "c.d"]));
});
