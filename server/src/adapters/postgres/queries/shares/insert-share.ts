import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Audience } from "#core/requests/sharing.ts";

type Params = { workspaceId: string; port: number; audience: Audience; lifetimeMs: number | null };

/** Shares a port; what was shared before was deleted. */
export const insertShare = statement<Params, { expiresAt: number | null }>("insert-share", API_ROLE)`
INSERT INTO port_shares (workspace_id, port, audience, expires_at)
VALUES (${"workspaceId"}, ${"port"}, ${"audience"},
  clock_timestamp() + make_interval(secs => ${"lifetimeMs"}::double precision / 1000))
RETURNING expires_at AS "expiresAt"
`;
