import type { OperationName } from "#core/rows/workspace.ts";
import { commit } from "#core/rules/completion.ts";
import { isCrashLooping } from "#core/rules/crash-loop.ts";
import { LISTING_EVERY_MS, MARK_AGE_MS, mayReap, protection } from "#core/rules/gc.ts";
import { isLeftover } from "#core/rules/judge.ts";
import { forEveryOperation, OPERATIONS, type Room } from "#core/rules/operations.ts";
import { plan } from "#core/rules/plan.ts";
import {
  claim,
  expire,
  fail,
  giveUpOnContainer,
  observe,
  recordRestoreTest,
  takeOver,
} from "#core/rules/transitions.ts";
import type { TtlDefaults } from "#core/wishes/idle.ts";
import { answerRequest } from "#core/wishes/requests.ts";
import { wishFall } from "#core/wishes/wishes.ts";
import type { ActivityBuffer } from "#ports/activity.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { Clock, Ids } from "#ports/clock.ts";
import type { Election } from "#ports/election.ts";
import type { StorageJobs } from "#ports/jobs.ts";
import type { Logger } from "#ports/logger.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { WishStore } from "#ports/store.ts";
import type { Volumes } from "#ports/volumes.ts";

export interface CoordinatorDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly election: Election;
  readonly wishes: WishStore;
  readonly runtime: Runtime;
  readonly volumes: Volumes;
  readonly archives: ArchiveStore;
  readonly jobs: StorageJobs;
  readonly hints: Hints;
  readonly activity: ActivityBuffer;
  readonly decisions: Decisions;
  readonly settings: CoordinatorSettings;
  /** Called with every term, for what else must run exactly once: the event listener. */
  readonly onTerm?: (epoch: number, ended: AbortSignal) => void;
}

/** "Look at this workspace now", or at everything (null) after a gap. Losing hints costs only time. */
export interface Hints {
  subscribe(onHint: (workspaceId: string | null) => void): { end(): void };
}

/** The pure rules, handed in as one record: the simulation replaces one to see whether it would notice. */
export const DECISIONS = {
  observe,
  plan,
  claim,
  takeOver,
  commit,
  fail,
  answerRequest,
  recordRestoreTest,
  expire,
  giveUpOnContainer,
  isCrashLooping,
  isLeftover,
  protection,
  mayReap,
  wishFall,
} as const;
export type Decisions = { readonly [K in keyof typeof DECISIONS]: (typeof DECISIONS)[K] };

export interface CoordinatorSettings extends Room {
  readonly idleIntervalMs: number;
  readonly activeIntervalMs: number;
  readonly activeDurationMs: number;
  readonly operationPollMs: number;
  readonly convergePollMs: number;
  readonly sweepIntervalMs: number;
  readonly archiveCheckIntervalMs: number;
  readonly campaignIntervalMs: number;
  readonly pingIntervalMs: number;
  readonly leaseMs: number;
  readonly ttlIntervalMs: number;
  readonly ttl: TtlDefaults;
  readonly activitySilenceMs: number;
  readonly gcIntervalMs: number;
  readonly gcMarkAgeMs: number;
  readonly gcRemovalIntervalMs: number;
  /** The most objects that one tick of removing takes. */
  readonly gcRemovalsPerTick: number;
  readonly staleUploadMs: number;
  readonly housekeepingIntervalMs: number;
  readonly volumeGraceMs: number;
  readonly trashRetentionMs: number;
  readonly keepVersions: number;
  readonly maxAttempts: number;
  readonly minimumBackoffMs: number;
  readonly timeoutsMs: Readonly<Record<OperationName, number>>;
  readonly stopGraceSeconds: number;
  readonly maxPasses: number;
  readonly minFreeBytes: number;
  readonly minFreeRatio: number;
}

export const DEFAULT_SETTINGS: CoordinatorSettings = {
  idleIntervalMs: 15_000,
  activeIntervalMs: 1_000,
  activeDurationMs: 30_000,
  operationPollMs: 2_000,
  convergePollMs: 5_000,
  sweepIntervalMs: 30_000,
  archiveCheckIntervalMs: 6 * 3_600_000,
  campaignIntervalMs: 1_000,
  pingIntervalMs: 1_000,
  leaseMs: 3_000,
  ttlIntervalMs: 60_000,
  ttl: { standbyTtlSeconds: 600, archiveTtlSeconds: 1_800 },
  activitySilenceMs: 90_000,
  gcIntervalMs: LISTING_EVERY_MS,
  gcMarkAgeMs: MARK_AGE_MS,
  gcRemovalIntervalMs: 60_000,
  gcRemovalsPerTick: 200,
  staleUploadMs: 24 * 3_600_000,
  housekeepingIntervalMs: 60_000,
  volumeGraceMs: 3_600_000,
  trashRetentionMs: 7 * 24 * 3_600_000,
  keepVersions: 1,
  maxAttempts: 3,
  minimumBackoffMs: 0,
  timeoutsMs: forEveryOperation((name) => OPERATIONS[name].timeout.seconds * 1_000),
  stopGraceSeconds: 10,
  maxPasses: 16,
  maxStorageJobs: 4,
  maxOperations: 64,
  minFreeBytes: 2 * 1024 ** 3,
  minFreeRatio: 0.05,
};
