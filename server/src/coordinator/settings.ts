import type { TtlDefaults } from "#core/requests/idle.ts";
import type { OperationName } from "#core/rows/workspace.ts";
import { LISTING_EVERY_MS, MARK_AGE_MS } from "#core/rules/gc.ts";
import type { Room } from "#core/rules/room.ts";

/** What an operator sets, or what follows from it. Its defaults are those of the variables. */
export interface ConfiguredSettings {
  readonly idleIntervalMs: number;
  readonly activeIntervalMs: number;
  readonly ttl: TtlDefaults;
  readonly ttlIntervalMs: number;
  /** The most objects that one tick of removing takes. */
  readonly gcRemovalsPerTick: number;
  readonly volumeGraceMs: number;
  readonly trashRetentionMs: number;
  readonly keepVersions: number;
  readonly maxAttempts: number;
  readonly minimumBackoffMs: number;
  readonly timeoutsMs: Readonly<Record<OperationName, number>>;
  readonly stopGraceSeconds: number;
  readonly usageRetentionMs: number;
}

/** What follows from the machine. */
export type MachineSettings = Pick<Room, "maxStarts" | "maxStorageJobs">;

/** What nobody sets; tests and the simulation have their own pace. */
export interface FixedSettings extends Omit<Room, keyof MachineSettings> {
  readonly activeDurationMs: number;
  readonly operationPollMs: number;
  readonly convergePollMs: number;
  readonly sweepIntervalMs: number;
  readonly archiveCheckIntervalMs: number;
  readonly campaignIntervalMs: number;
  readonly pingIntervalMs: number;
  readonly leaseMs: number;
  readonly activitySilenceMs: number;
  readonly gcIntervalMs: number;
  readonly gcMarkAgeMs: number;
  readonly gcRemovalIntervalMs: number;
  readonly staleUploadMs: number;
  readonly housekeepingIntervalMs: number;
  readonly usageIntervalMs: number;
  /** How old the size of a home may become. */
  readonly homeSizeAgeMs: number;
  readonly maxPasses: number;
  readonly minFreeBytes: number;
  readonly minFreeRatio: number;
}

export interface CoordinatorSettings extends ConfiguredSettings, MachineSettings, FixedSettings {}

export const FIXED_SETTINGS: FixedSettings = {
  activeDurationMs: 30_000,
  operationPollMs: 2_000,
  convergePollMs: 5_000,
  sweepIntervalMs: 30_000,
  archiveCheckIntervalMs: 6 * 3_600_000,
  campaignIntervalMs: 1_000,
  pingIntervalMs: 1_000,
  leaseMs: 3_000,
  activitySilenceMs: 90_000,
  gcIntervalMs: LISTING_EVERY_MS,
  gcMarkAgeMs: MARK_AGE_MS,
  gcRemovalIntervalMs: 60_000,
  staleUploadMs: 24 * 3_600_000,
  housekeepingIntervalMs: 60_000,
  usageIntervalMs: 60_000,
  homeSizeAgeMs: 600_000,
  maxPasses: 16,
  startingMs: 10_000,
  maxOperations: 64,
  minFreeBytes: 2 * 1024 ** 3,
  minFreeRatio: 0.05,
};
