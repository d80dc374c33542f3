import {
  type Archive,
  type ArchiveProof,
  type Condition,
  catalogue,
  conditionText,
  datedVoice,
  doorOf,
  errorText,
  type Next,
  nextText,
  type Progress,
  type Safety,
  safetyText,
  utcVoice,
  type Waiting,
  type Workspace,
  type WorkspaceError,
  waitingText,
} from "@codehub/contract";
import { effectiveTtls } from "#core/requests/idle.ts";
import type { Conditions, Condition as Seen } from "#core/rows/condition.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { ArchiveRecord, HomeDisk, ListedColumns, Ms, Workspace as Row } from "#core/rows/workspace.ts";
import { nearlyFull } from "#core/rules/disk.ts";
import { nextStep, type Policy } from "#core/words/next-step.ts";
import { homeSafety } from "#core/words/safety.ts";
import type { StartWaiting } from "#ports/runtime.ts";
import type { ProgressView, WorkspaceView } from "#ports/views.ts";
import { presentRepository, presentSetup } from "./present-setup.ts";
import { type Sites, siteUrl } from "./site-url.ts";

export const isoOrNull = (at: Ms | null): string | null => (at === null ? null : isoTime(at));
const whole = (value: number): number => Math.max(0, Math.round(value));

export interface Presentation {
  readonly policy: Policy;
  readonly sites: Sites;
  readonly now: Ms;
  /** Whether the reader owns it: only owners get the door. */
  readonly own: boolean;
}

/** The row as people see it. Everything named here is meant to be seen; nothing is passed through unnamed. */
export function presentWorkspace(view: WorkspaceView, { policy, sites, now, own }: Presentation): Workspace {
  const { row } = view;
  const ttls = effectiveTtls(row, policy.ttl);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    memo: row.memo,
    image_ref: row.imageRef,
    owner: { id: row.ownerId, username: view.ownerName },
    phase: row.phase,
    phase_changed_at: isoTime(row.phaseChangedAt),
    desired_state: row.desiredState,
    desired_version: row.desiredVersion,
    operation: row.operation,
    op_started_at: isoOrNull(row.opStartedAt),
    progress: row.operation === "NONE" || view.progress === null ? null : presentProgress(view.progress),
    conditions: presentConditions(row.conditions, now),
    observed_at: isoOrNull(row.observedAt),
    error: presentError(row, now),
    next: presentNext(row, policy, now),
    created_at: isoTime(row.createdAt),
    updated_at: isoTime(row.updatedAt),
    last_access_at: isoTime(row.lastAccessAt),
    keep_awake_until: isoOrNull(row.keepAwakeUntil),
    standby_ttl_seconds: row.standbyTtlSeconds,
    archive_ttl_seconds: row.archiveTtlSeconds,
    effective_standby_ttl_seconds: ttls.standbyTtlSeconds,
    effective_archive_ttl_seconds: ttls.archiveTtlSeconds,
    home_bytes: view.homeBytes,
    home_size_bytes: row.homeCtx.sizeBytes,
    home_disk: presentDisk(nearlyFull(row)),
    repository: presentRepository(row.source),
    setup: presentSetup(row, now),
    keys_allowed: row.keysAllowed,
    safety: presentSafety(row, view.lastArchive, now),
    restart_required:
      row.phase === "RUNNING" && row.homeCtx.startedImage !== null && row.homeCtx.startedImage !== row.imageRef,
    deleted_at: isoOrNull(row.deletedAt),
    purge: row.purge,
    undelete_until: isoOrNull(undeleteUntil(row, policy)),
    address: own && row.deletedAt === null ? presentAddress(row, sites) : null,
    open_url: own && row.deletedAt === null ? doorOf(row.id) : null,
    version: row.rowVersion,
  };
}

function presentAddress(row: Row, sites: Sites): Workspace["address"] {
  const url = siteUrl(sites, row, null);
  return url === null ? null : { form: row.address === null ? "id" : "words", url };
}

const presentDisk = (disk: HomeDisk | null): Workspace["home_disk"] =>
  disk === null
    ? null
    : { used_bytes: disk.usedBytes, total_bytes: disk.totalBytes, shared: disk.shared, measured_at: isoTime(disk.at) };

/** Until when it can be taken out of the trash; null where it is not in it, or for good. */
export const undeleteUntil = (row: ListedColumns, policy: Policy): Ms | null =>
  row.deletedAt === null || row.purge || row.expiredAt !== null ? null : row.deletedAt + policy.trashRetentionMs;

const presentConditions = (conditions: Conditions, now: Ms): Record<string, Condition> =>
  Object.fromEntries(Object.entries(conditions).map(([key, seen]) => [key, presentCondition(key, seen, now)]));

export function presentCondition(key: string, seen: Seen, now: Ms): Condition {
  const condition = {
    status: seen.status,
    reason: seen.reason,
    message: seen.message,
    ...(seen.fields === undefined ? {} : { fields: { ...seen.fields }, detail: seen.message }),
    last_transition_time: isoTime(seen.lastTransitionTime),
    ...(seen.unknownSince === undefined ? {} : { unknown_since: isoTime(seen.unknownSince) }),
  };
  return { ...condition, message: conditionText(key, condition, utcVoice(now)) };
}

function presentWaiting({ code, fields: { message, ...fields }, since }: StartWaiting): Waiting {
  const waiting = { code, fields, detail: typeof message === "string" ? message : "" };
  return { ...waiting, message: waitingText(waiting, datedVoice), since: isoTime(since) };
}

export const presentProgress = (progress: ProgressView): Progress => ({
  stage: progress.step,
  bytes_done: whole(progress.doneBytes),
  bytes_total: progress.totalBytes === null ? null : whole(progress.totalBytes),
  files_done: whole(progress.doneFiles),
  files_total: progress.totalFiles === null ? null : whole(progress.totalFiles),
  rate_bytes_per_second: progress.bytesPerSecond,
  eta_seconds: progress.etaSeconds,
  ...(progress.waiting === null ? {} : { waiting: presentWaiting(progress.waiting) }),
  updated_at: isoTime(progress.updatedAt),
});

/** What went wrong: as the failure was written down, else as the condition says it. */
export function toldOfError(row: ListedColumns, reason: string): Pick<WorkspaceError, "fields" | "detail"> {
  const told = row.errorInfo ?? row.conditions["policy.healthy"];
  return { fields: { ...told?.fields }, detail: told?.message ?? reason };
}

function presentError(row: Row, now: Ms): WorkspaceError | null {
  const { errorInfo, errorReason } = row;
  if (errorReason === null) return null;
  const about = toldOfError(row, errorReason);
  return {
    reason: errorReason,
    message: errorText(about, utcVoice(now)),
    ...about,
    operation: errorInfo?.operation ?? null,
    is_terminal: errorInfo?.isTerminal ?? row.phase === "ERROR",
    attempts: errorInfo?.attempts ?? row.errorCount,
    elapsed_seconds: errorInfo?.elapsedMs == null ? null : errorInfo.elapsedMs / 1_000,
    previous_phase: errorInfo?.previousPhase ?? null,
    occurred_at: isoOrNull(errorInfo?.occurredAt ?? null),
    what_to_do: catalogue.errors[errorReason].remedy,
  };
}

export function presentNext(row: Row, policy: Policy, now: Ms): Next {
  const { kind, operation, at, code, fields } = nextStep(row, policy, now);
  const next = { kind, operation, at: isoOrNull(at), code, fields: { ...fields } };
  return { ...next, summary: nextText(next, utcVoice(now)) };
}

const archiveFacts = ({ opId, facts, createdAt, verifiedAt }: ArchiveRecord) => ({
  op_id: opId,
  sha256: facts.sha256,
  archive_bytes: facts.sizeBytes,
  home_bytes: facts.contentBytes,
  entry_count: facts.entryCount,
  created_at: isoTime(createdAt),
  verified_at: isoTime(verifiedAt),
});

const proof = (archive: ArchiveRecord, now: Ms): ArchiveProof => ({
  ...archiveFacts(archive),
  age_seconds: whole((now - archive.verifiedAt) / 1000),
});

export function presentSafety(row: Row, lastArchive: ArchiveRecord | null, now: Ms): Safety {
  const { level, homeIn } = homeSafety(row, lastArchive);
  const archive = lastArchive === null ? null : proof(lastArchive, now);
  const safety = { level, home_in: homeIn, last_verified_archive: archive };
  return { ...safety, summary: safetyText(safety, utcVoice(now)) };
}

export const presentArchive = (archive: ArchiveRecord, row: Row): Archive => ({
  ...archiveFacts(archive),
  state: archive.state,
  authoritative: row.homeVolume === null && row.archiveKey === archive.key,
  keep_until: isoOrNull(archive.keepUntil),
});
