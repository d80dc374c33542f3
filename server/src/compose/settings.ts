import type { Config } from "#config/config.ts";
import { type CoordinatorSettings, DEFAULT_SETTINGS } from "#coordinator/deps.ts";
import { forEveryOperation } from "#core/rules/operations.ts";
import type { Limits } from "#core/wishes/limits.ts";

const LONGEST_FLUSH_MS = 30_000;

/** The coordinator's settings as configured; what has no variable keeps its default. */
export function coordinatorSettings(config: Config): CoordinatorSettings {
  return {
    ...DEFAULT_SETTINGS,
    idleIntervalMs: config.COORDINATOR_IDLE_INTERVAL * 1_000,
    activeIntervalMs: config.COORDINATOR_ACTIVE_INTERVAL * 1_000,
    ttl: { standbyTtlSeconds: config.TTL_STANDBY_SECONDS, archiveTtlSeconds: config.TTL_ARCHIVE_SECONDS },
    // A short TTL is looked at more often, or it would last for up to a minute more.
    ttlIntervalMs: ttlIntervalMs(config),
    trashRetentionMs: config.TRASH_RETENTION_SECONDS * 1_000,
    keepVersions: config.ARCHIVE_KEEP_VERSIONS,
    gcRemovalsPerTick: config.GC_MAX_PER_MINUTE,
    volumeGraceMs: config.VOLUME_GRACE_SECONDS * 1_000,
    maxAttempts: config.RECONCILER_MAX_RETRIES,
    minimumBackoffMs: config.RECONCILER_RETRY_BACKOFF * 1_000,
    stopGraceSeconds: config.STOP_GRACE_SECONDS,
    timeoutsMs: forEveryOperation((name) => config[`RECONCILER_${name}_TIMEOUT`] * 1_000),
  };
}

/** How many workspaces may run, for the API and the proxy alike. */
export function runningLimits(config: Config): Limits {
  return {
    maxRunningPerUser: config.LIMITS_MAX_RUNNING_PER_USER,
    maxRunningGlobal: config.LIMITS_MAX_RUNNING_GLOBAL,
  };
}

/** Activity is known to the coordinator well before a short TTL ends, or it would stop what somebody uses. */
export function activityFlushMs(config: Config): number {
  const ttlMs = config.TTL_STANDBY_SECONDS * 1_000;
  return ttlMs === 0 ? LONGEST_FLUSH_MS : Math.min(LONGEST_FLUSH_MS, Math.max(500, ttlMs / 8));
}

function ttlIntervalMs(config: Config): number {
  const shortest = Math.min(
    ...[config.TTL_STANDBY_SECONDS, config.TTL_ARCHIVE_SECONDS].filter((seconds) => seconds > 0),
  );
  return Math.min(DEFAULT_SETTINGS.ttlIntervalMs, Math.max(1_000, (shortest * 1_000) / 4));
}
