import { readFileSync } from "node:fs";
import { join } from "node:path";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "browser", name), "utf8");

/** Part of our own pages that wait for a workspace. */
export const WAIT_SCRIPT: string = read("wait.js");
/** Runs beside the IDE in its tab. */
export const TAB_SCRIPT: string = read("tab.js");
