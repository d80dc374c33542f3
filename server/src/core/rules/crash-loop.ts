import type { ListedColumns, Ms } from "#core/rows/workspace.ts";

/** A container that ended by itself this often in this long is not started again. */
export const EXIT_LIMIT = 3;
export const EXIT_WINDOW_MS = 600_000;

export function isCrashLooping(row: ListedColumns, now: Ms): boolean {
  const recent = row.homeCtx.exits.filter((at) => now - at < EXIT_WINDOW_MS).length;
  return row.desiredState === "RUNNING" && row.errorInfo?.isTerminal !== true && recent >= EXIT_LIMIT;
}
