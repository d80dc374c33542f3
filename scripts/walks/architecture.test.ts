import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { stepsOf } from "./architecture.ts";

const ROOT = path.join(import.meta.dirname, "../..");

// That each is really passed is for `npm run walks` to see.
describe.each(["start", "request", "archive"] as const)("the walk %s in ARCHITECTURE.md", (walk) => {
  const steps = stepsOf(walk);

  it("has its steps", () => {
    expect(steps.length).toBeGreaterThanOrEqual(10);
  });

  it.each(steps)("$file has $name", ({ file, name }) => {
    const declared = new RegExp(`(?:^|[\\s.])${name}(?:<[^>]*>)?(?:\\(|: \\w+ = |: async| = )`, "m");
    expect(fs.readFileSync(path.join(ROOT, file), "utf8")).toMatch(declared);
  });
});
