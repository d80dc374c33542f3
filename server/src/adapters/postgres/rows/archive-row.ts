import { columns, type Fragment } from "#adapters/postgres/statement.ts";
import type { ArchiveFacts, ArchiveRecord, VolumeRecord } from "#core/rows/workspace.ts";

export type ArchiveRow = Omit<ArchiveRecord, "facts"> & ArchiveFacts;

const ARCHIVE_FIELDS: readonly (keyof ArchiveRow)[] = [
  ...(["key", "workspaceId", "opId", "state", "sha256", "sizeBytes", "contentBytes", "entryCount"] as const),
  ...(["manifestDigest", "skippedSockets", "formatVersion", "createdAt", "verifiedAt", "keepUntil"] as const),
];

/** The columns of the table that the statement calls `a`. */
export const archiveColumns: Fragment = columns("a", ARCHIVE_FIELDS);

export function toArchive(row: ArchiveRow): ArchiveRecord {
  const { key, workspaceId, opId, state, createdAt, verifiedAt, keepUntil, ...facts } = row;
  return { key, workspaceId, opId, state, facts, createdAt, verifiedAt, keepUntil };
}

const VOLUME_FIELDS: readonly (keyof VolumeRecord)[] = ["name", "workspaceId", "attempt", "state", "retiredAt"];

/** The columns of the table that the statement calls `v`. */
export const volumeColumns: Fragment = columns("v", VOLUME_FIELDS);
