import { readFileSync } from "node:fs";

/** What Linux gives a process that was told nothing else. */
const USUAL = 1_024;

/** How many descriptors this process may have open at once. */
export function openFileLimit(limits: string = readLimits()): number {
  const [, soft] = /^Max open files +(\d+|unlimited)/m.exec(limits) ?? [];
  return soft === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(soft ?? USUAL);
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
