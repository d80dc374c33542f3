import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import type { ArchiveRow } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Params = Omit<ArchiveRow, "createdAt" | "verifiedAt" | "keepUntil"> & {
  createdAt: Date;
  verifiedAt: Date;
  keepUntil: Date | null;
};

/** Inserts an archive or moves it to another state; what was measured when it was made never changes. */
export const upsertArchive = statement<Params>("upsert-archive", COORDINATOR_ROLE)`
INSERT INTO archives
  (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count, manifest_digest, skipped_sockets,
   format_version, created_at, verified_at, keep_until)
VALUES (${"key"}, ${"workspaceId"}, ${"opId"}, ${"state"}, ${"sha256"}, ${"sizeBytes"}, ${"contentBytes"}, ${"entryCount"}, ${"manifestDigest"},
  ${"skippedSockets"}, ${"formatVersion"}, ${"createdAt"}, ${"verifiedAt"}, ${"keepUntil"})
ON CONFLICT (key) DO UPDATE SET
  state = excluded.state, verified_at = excluded.verified_at, keep_until = excluded.keep_until
`;
