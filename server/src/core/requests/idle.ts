import type { DesiredState, ListedColumns, Ms, Workspace } from "#core/rows/workspace.ts";

export interface TtlDefaults {
  readonly standbyTtlSeconds: number;
  readonly archiveTtlSeconds: number;
}

/** A workspace's own value, else the default; 0 is never. */
export function effectiveTtls(row: ListedColumns, defaults: TtlDefaults): TtlDefaults {
  return {
    standbyTtlSeconds: row.standbyTtlSeconds ?? defaults.standbyTtlSeconds,
    archiveTtlSeconds: row.archiveTtlSeconds ?? defaults.archiveTtlSeconds,
  };
}

export interface Demotion {
  readonly to: Extract<DesiredState, "STANDBY" | "ARCHIVED">;
  /** The moment after which the request is lowered. */
  readonly at: Ms;
  /** What the time is counted from. */
  readonly since: Ms;
}

/** Where and when this workspace falls back by itself, or null where it does not. Only ever lowers a met request. */
export function nextDemotion(row: ListedColumns, defaults: TtlDefaults): Demotion | null {
  if (row.deletedAt !== null || row.operation !== "NONE" || row.phase !== row.desiredState) return null;
  const ttls = effectiveTtls(row, defaults);
  if (row.phase === "RUNNING" && ttls.standbyTtlSeconds > 0) {
    const since = Math.max(row.lastAccessAt, row.phaseChangedAt, row.keepAwakeUntil ?? 0);
    return { to: "STANDBY", at: since + ttls.standbyTtlSeconds * 1000, since };
  }
  if (row.phase === "STANDBY" && ttls.archiveTtlSeconds > 0) {
    const since = row.phaseChangedAt;
    return { to: "ARCHIVED", at: since + ttls.archiveTtlSeconds * 1000, since };
  }
  return null;
}

/** Exactly at the limit is not yet past it. */
export function isIdle(row: Workspace, defaults: TtlDefaults, now: Ms): Demotion | null {
  const demotion = nextDemotion(row, defaults);
  return demotion !== null && now > demotion.at ? demotion : null;
}

/** Why the idle time of a row cannot be trusted, and since when. */
export interface ActivityGap {
  readonly since: Ms;
  /** One proxy that does not hand over what it saw, or the whole buffer, which tells nothing about any of them. */
  readonly of: "proxy" | "buffer";
}

/**
 * The gap that a row has to wait for, from when each proxy last handed over. Of several silent ones the newest matters:
 * whatever the others may have held back is waited out before.
 */
export function proxyGap(flushedAt: readonly Ms[], silenceMs: number, now: Ms): ActivityGap | null {
  const silent = flushedAt.filter((at) => now - at > silenceMs);
  return silent.length === 0 ? null : { since: Math.max(...silent), of: "proxy" };
}

/**
 * Until when a demotion to standby waits for activity that may be held back: at most one TTL more, counted from when it
 * became unknown, because what was used just before that may be what is held back. A proxy is waited for once: what it
 * could have held back when it fell silent is two TTLs old at most, and who came later did not come through it.
 */
export function waitsUntil(demotion: Demotion, gap: ActivityGap): Ms {
  const ttlMs = demotion.at - demotion.since;
  const oneMore = Math.max(demotion.at, gap.since) + ttlMs;
  return gap.of === "proxy" ? Math.min(oneMore, gap.since + longestWaitMs(ttlMs)) : oneMore;
}

/** How long after its last word a silent proxy can still delay the demotion of anything with this TTL. */
export const longestWaitMs = (ttlMs: number): number => 2 * ttlMs;
