import { readFileSync } from "node:fs";

const read = (file: URL): string => readFileSync(file, "utf8");

/** Part of our own pages that wait for a workspace. */
export const WAIT_SCRIPT: string = read(new URL("./browser/wait.js", import.meta.url));
const PILL = read(new URL("./browser/pill.js", import.meta.url));
const TAB = read(new URL("./browser/tab.js", import.meta.url));
/** Runs beside the IDE in its tab. In a block, so that neither leaves a name behind among the IDE's. */
export const TAB_SCRIPT: string = `{\n${PILL}${TAB}}\n`;
