import type { DesiredState, Ms, Workspace } from "./workspace.ts";

export interface TtlDefaults {
  readonly standbyTtlSeconds: number;
  readonly archiveTtlSeconds: number;
}

/** A workspace's own value, else the default; 0 is never. */
export function effectiveTtls(row: Workspace, defaults: TtlDefaults): TtlDefaults {
  return {
    standbyTtlSeconds: row.standbyTtlSeconds ?? defaults.standbyTtlSeconds,
    archiveTtlSeconds: row.archiveTtlSeconds ?? defaults.archiveTtlSeconds,
  };
}

export interface Fall {
  readonly to: Extract<DesiredState, "STANDBY" | "ARCHIVED">;
  /** The moment after which the wish is lowered. */
  readonly at: Ms;
  /** What the time is counted from. */
  readonly since: Ms;
}

/** Where and when this workspace falls back by itself, or null where it does not. Only ever lowers a met wish. */
export function nextFall(row: Workspace, defaults: TtlDefaults): Fall | null {
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
export function isIdle(row: Workspace, defaults: TtlDefaults, now: Ms): Fall | null {
  const fall = nextFall(row, defaults);
  return fall !== null && now > fall.at ? fall : null;
}
