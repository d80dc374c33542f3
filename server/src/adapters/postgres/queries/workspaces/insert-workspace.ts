import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type WorkspaceRow, workspaceColumns } from "#adapters/postgres/rows/workspace-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Params = {
  id: string;
  ownerId: string;
  name: string;
  description: string | null;
  memo: string | null;
  imageRef: string;
  desiredState: string;
  standbyTtlSeconds: number | null;
  archiveTtlSeconds: number | null;
  source: string | null;
  setupWanted: number;
  keysAllowed: boolean;
  address: string | null;
};

/** A new workspace; what the coordinator owns begins with its defaults. */
export const insertWorkspace = statement<Params, WorkspaceRow>("insert-workspace", API_ROLE)`
INSERT INTO workspaces AS w
  (id, owner_id, name, description, memo, image_ref, desired_state, standby_ttl_seconds, archive_ttl_seconds,
   source, setup_wanted, keys_allowed, address)
VALUES (${"id"}, ${"ownerId"}, ${"name"}, ${"description"}, ${"memo"}, ${"imageRef"}, ${"desiredState"}, ${"standbyTtlSeconds"},
  ${"archiveTtlSeconds"}, ${"source"}, ${"setupWanted"}, ${"keysAllowed"}, ${"address"})
RETURNING ${workspaceColumns}
`;
