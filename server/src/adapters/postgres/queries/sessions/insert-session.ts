import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** A browser's session on the dashboard. */
export const insertSession = statement<
  { tokenHash: Uint8Array; userId: string; lifetimeMs: number; address: string | null; userAgent: string | null },
  { id: string; expires_at: Ms }
>("insert-session", API_ROLE)`
INSERT INTO sessions (token_hash, kind, user_id, address, user_agent, expires_at)
VALUES (${"tokenHash"}, 'dashboard', ${"userId"}, ${"address"}, ${"userAgent"},
  clock_timestamp() + make_interval(secs => ${"lifetimeMs"}::double precision / 1000))
RETURNING id, expires_at
`;
