import fs from "node:fs";
import path from "node:path";

/** A function that a walk passes, as ARCHITECTURE.md names it. */
export interface Step {
  /** Below the repository. */
  readonly file: string;
  readonly name: string;
}

const HEADINGS = {
  start: "### A start",
  request: "### A request",
  archive: "### An archive",
} as const;

/** The steps of one walk, as they stand in ARCHITECTURE.md. */
export function stepsOf(walk: keyof typeof HEADINGS): Step[] {
  const text = fs.readFileSync(path.join(import.meta.dirname, "../../ARCHITECTURE.md"), "utf8");
  const [section = ""] = text.slice(text.indexOf(HEADINGS[walk]) + 1).split("\n##", 1);
  return [...section.matchAll(/^\d+\. `([^`]+)` → `([^`]+)`: /gm)].map(([, file, name = ""]) => ({
    file: `server/src/${file}`,
    name,
  }));
}
