import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Ends the session of a cookie and what was handed over from it. */
export const deleteSessionByHash = statement<{
  tokenHash: Uint8Array;
}>("delete-session-by-hash", API_ROLE)`
DELETE FROM sessions WHERE token_hash = ${"tokenHash"}
`;
