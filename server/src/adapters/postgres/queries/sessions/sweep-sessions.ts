import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Sessions that are over anyway. */
export const sweepSessions = statement<Record<never, never>>("sweep-sessions", API_ROLE)`
DELETE FROM sessions WHERE expires_at < now()
`;
