import fs from "node:fs";

const PACKAGE = new URL("../../../package.json", import.meta.url);

/** Of this program, as its package says. */
export function programVersion(): string {
  return JSON.parse(fs.readFileSync(PACKAGE, "utf8")).version;
}
