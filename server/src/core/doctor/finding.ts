import type { Fields } from "#core/rows/meaning.ts";

/** What the doctor looks at, in the order in which one thing needs another. */
export const CHECKS = [
  "configuration",
  "database",
  "roles",
  "clocks",
  "secrets",
  "redis",
  "store",
  "engine",
  "images",
  "firewall",
  "dns",
  "disk",
  "descriptors",
] as const;
export type Check = (typeof CHECKS)[number];

/**
 * broken: something does not work until it is cured. warning: it works, and an operator should know. unknown: it could not be
 * looked at, because of something else that is broken.
 */
export type Level = "ok" | "warning" | "broken" | "unknown";

/** What was found, as data; the words for it and for its cure are looked up by the code. */
export interface Finding {
  readonly check: Check;
  readonly level: Level;
  readonly code: string;
  readonly fields: Fields;
}

export const isBroken = (findings: readonly Finding[]): boolean => findings.some(({ level }) => level === "broken");

/** Findings of one check are made with its name once. */
export const findingsOf =
  (check: Check) =>
  (level: Level, code: string, fields: Fields = {}): Finding => ({ check, level, code, fields });

/** What another program said, for a sentence that goes on: without the full stop that may end it. */
export const asSaid = (text: string): string => text.trim().replace(/\.$/, "");
