import { createHash } from "node:crypto";
import type { Config } from "#config/config.ts";
import type { SetupPolicy } from "#coordinator/deps.ts";
import { type ConfiguredSettings, type CoordinatorSettings, FIXED_SETTINGS } from "#coordinator/settings.ts";
import type { HomeSizes } from "#core/requests/home-size.ts";
import type { TtlDefaults } from "#core/requests/idle.ts";
import type { Limits } from "#core/requests/limits.ts";
import type { SharingBound } from "#core/requests/sharing.ts";
import { forEveryOperation } from "#core/rules/operations.ts";
import { roomFor } from "#core/rules/room.ts";
import type { Channels } from "#events/channels.ts";
import type { World } from "#ports/world.ts";

const LONGEST_FLUSH_MS = 30_000;
const LONGEST_TTL_INTERVAL_MS = 60_000;

/** The coordinator's settings: what has a variable as configured, what follows from the machine, and what nobody sets. */
export function coordinatorSettings(config: Config, cores: number, runtimeKind: string): CoordinatorSettings {
  const configured: ConfiguredSettings = {
    idleIntervalMs: config.COORDINATOR_IDLE_INTERVAL * 1_000,
    activeIntervalMs: config.COORDINATOR_ACTIVE_INTERVAL * 1_000,
    ttl: ttlDefaults(config),
    // A short TTL is looked at more often, or it would last for up to a minute more.
    ttlIntervalMs: ttlIntervalMs(config),
    trashRetentionMs: trashRetentionMs(config),
    keepVersions: config.ARCHIVE_KEEP_VERSIONS,
    gcRemovalsPerTick: config.GC_MAX_PER_MINUTE,
    volumeGraceMs: config.VOLUME_GRACE_SECONDS * 1_000,
    maxAttempts: config.RECONCILER_MAX_RETRIES,
    minimumBackoffMs: config.RECONCILER_RETRY_BACKOFF * 1_000,
    stopGraceSeconds: config.STOP_GRACE_SECONDS,
    usageRetentionMs: usageRetentionMs(config),
    timeoutsMs: forEveryOperation((name) => config[`RECONCILER_${name}_TIMEOUT`] * 1_000),
  };
  return { ...FIXED_SETTINGS, ...configured, ...roomFor(runtimeKind, cores) };
}

/** What a workspace without TTLs of its own has. */
export function ttlDefaults(config: Config): TtlDefaults {
  return { standbyTtlSeconds: config.TTL_STANDBY_SECONDS, archiveTtlSeconds: config.TTL_ARCHIVE_SECONDS };
}

export const keepAwakeMaxMs = (config: Config): number => config.KEEP_AWAKE_MAX * 1_000;

/** Where workspaces share the dashboard's origin, ports have none of their own. */
export const portSharing = (config: Config): SharingBound =>
  config.UNSAFE_SINGLE_ORIGIN ? "off" : config.PORT_SHARING;

export const trashRetentionMs = (config: Config): number => config.TRASH_RETENTION_SECONDS * 1_000;

export const usageRetentionMs = (config: Config): number => config.USAGE_RETENTION_DAYS * 86_400_000;

/** Names on the bus. */
export const channelNames = (config: Config): Channels => ({
  ssePrefix: config.REDIS_CHANNEL_SSE_PREFIX,
  wakePrefix: config.REDIS_CHANNEL_WAKE_PREFIX,
});

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
  return Math.min(LONGEST_TTL_INTERVAL_MS, Math.max(1_000, (shortest * 1_000) / 4));
}

/** What people may choose: the default, and what else is listed. */
export function allowedImages(config: Config): readonly string[] {
  return [...new Set([config.DEFAULT_IMAGE, ...config.IMAGE_ALLOWLIST])];
}

/** What a repository's own set-up file may ask for. */
export const setupPolicy = (config: Config, runtimeKind: string): SetupPolicy => ({
  images: runtimeKind === "process" ? null : allowedImages(config),
  defaultImage: config.DEFAULT_IMAGE,
  largest: {
    cpus: config.WORKSPACE_CPUS,
    memoryBytes: config.WORKSPACE_MEMORY,
    storageBytes: config.KUBERNETES_HOME_SIZE_MAX,
  },
  hash: (text) => createHash("sha256").update(text).digest("hex"),
});

/** Whether homes have sizes is for the runtime to say. */
export const homeSizes = (config: Config, { volumes }: Pick<World, "volumes">): HomeSizes | null =>
  volumes.grow === null
    ? null
    : { newBytes: config.KUBERNETES_HOME_SIZE, ownerMaxBytes: config.KUBERNETES_HOME_SIZE_MAX };
