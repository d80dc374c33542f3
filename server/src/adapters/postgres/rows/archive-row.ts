import { toDate } from "#adapters/postgres/json.ts";
import { type Fragment, fragment } from "#adapters/postgres/statement.ts";
import type { ArchiveRecord, ArchiveState, Ms, VolumeRecord, VolumeState } from "#core/rows/workspace.ts";

export interface ArchiveRow {
  key: string;
  workspace_id: string;
  op_id: string;
  state: ArchiveState;
  sha256: string;
  size_bytes: number;
  content_bytes: number;
  entry_count: number;
  manifest_digest: string;
  skipped_sockets: number;
  format_version: number;
  created_at: Ms;
  verified_at: Ms;
  keep_until: Ms | null;
}

/** The columns of the table that the statement calls `a`. */
export const archiveColumns: Fragment = fragment(
  "a.key, a.workspace_id, a.op_id, a.state, a.sha256, a.size_bytes, a.content_bytes, a.entry_count, " +
    "a.manifest_digest, a.skipped_sockets, a.format_version, a.created_at, a.verified_at, a.keep_until",
);

export function toArchive(row: ArchiveRow): ArchiveRecord {
  return {
    key: row.key,
    workspaceId: row.workspace_id,
    opId: row.op_id,
    state: row.state,
    facts: {
      sha256: row.sha256,
      sizeBytes: row.size_bytes,
      contentBytes: row.content_bytes,
      entryCount: row.entry_count,
      manifestDigest: row.manifest_digest,
      skippedSockets: row.skipped_sockets,
      formatVersion: row.format_version,
    },
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
    keepUntil: row.keep_until,
  };
}

export type ArchiveParams = {
  key: string;
  workspaceId: string;
  opId: string;
  state: string;
  sha256: string;
  sizeBytes: number;
  contentBytes: number;
  entryCount: number;
  manifestDigest: string;
  skippedSockets: number;
  formatVersion: number;
  createdAt: Date;
  verifiedAt: Date;
  keepUntil: Date | null;
};

export function archiveParams(record: ArchiveRecord): ArchiveParams {
  const { facts } = record;
  return {
    key: record.key,
    workspaceId: record.workspaceId,
    opId: record.opId,
    state: record.state,
    sha256: facts.sha256,
    sizeBytes: facts.sizeBytes,
    contentBytes: facts.contentBytes,
    entryCount: facts.entryCount,
    manifestDigest: facts.manifestDigest,
    skippedSockets: facts.skippedSockets,
    formatVersion: facts.formatVersion,
    createdAt: new Date(record.createdAt),
    verifiedAt: new Date(record.verifiedAt),
    keepUntil: toDate(record.keepUntil),
  };
}

export interface VolumeRow {
  name: string;
  workspace_id: string;
  attempt: string;
  state: VolumeState;
  retired_at: Ms | null;
}

export const toVolume = (row: VolumeRow): VolumeRecord => ({
  name: row.name,
  workspaceId: row.workspace_id,
  attempt: row.attempt,
  state: row.state,
  retiredAt: row.retired_at,
});
