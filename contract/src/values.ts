/**
 * What there is of each, apart from the schemas that are made from it: pages use these and no schema, and nobody's browser
 * has to load what only the server checks by.
 */

export const roles = ["admin", "user"] as const;
export const phases = ["PENDING", "ARCHIVED", "STANDBY", "RUNNING", "ERROR", "DELETING", "DELETED"] as const;
export const desiredStates = ["DELETED", "PENDING", "ARCHIVED", "STANDBY", "RUNNING"] as const;
export const operations = [
  "NONE",
  "PROVISIONING",
  "RESTORING",
  "PREPARING",
  "STARTING",
  "STOPPING",
  "ARCHIVING",
  "CREATE_EMPTY_ARCHIVE",
  "DISCARDING",
  "DELETING",
] as const;

export const errorReasons = [
  "Timeout",
  "RetryExceeded",
  "ActionFailed",
  "DataLost",
  "Unreachable",
  "ImagePullFailed",
  "ContainerWithoutVolume",
  "ArchiveCorrupted",
  "ArchiveAccessError",
  "DiskFull",
] as const;

export const nextKinds = [
  "operation_running",
  "operation_next",
  "retry",
  "standby",
  "archive",
  "expiry",
  "blocked",
  "needs_person",
  "nothing",
] as const;

export const safetyLevels = ["archived", "volume_and_archive", "volume_only", "empty", "at_risk"] as const;
export const sortKeys = ["name", "created_at", "updated_at", "last_access_at", "phase", "owner"] as const;
export const archiveStates = ["current", "version", "trash", "orphan"] as const;
export const blockerKinds = ["error", "retry", "unknown"] as const;
export const actorKinds = ["user", "admin", "coordinator", "ttl", "proxy", "system"] as const;
export const portAudiences = ["users", "public"] as const;
export const usageRanges = ["hour", "day", "month"] as const;
export const usageGaps = [
  "soon",
  "unanswered",
  "no_metrics_server",
  "not_allowed",
  "not_counted",
  "too_many_files",
  "old_relay",
] as const;

export const cacheIds = [
  "npm",
  "yarn",
  "pip",
  "poetry",
  "go_build",
  "go_modules",
  "cargo",
  "gradle",
  "composer",
] as const;

export const eventTypes = [
  "snapshot",
  "workspace_updated",
  "workspace_deleted",
  "workspace_progress",
  "resync",
  "heartbeat",
] as const;

/** A file has the newest lines that match, and no more of them than this. */
export const AUDIT_FILE_LINES = 100_000;
