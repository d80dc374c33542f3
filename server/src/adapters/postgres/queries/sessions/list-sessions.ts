import { API_ROLE } from "#adapters/postgres/roles.ts";
import { columns, statement } from "#adapters/postgres/statement.ts";
import type { ListedSession } from "#ports/accounts.ts";

const listed = columns("s", ["id", "createdAt", "expiresAt", "address", "userAgent"]);

/** The sessions of a user on the dashboard that are alive, the newest first. */
export const listSessions = statement<{ userId: string }, ListedSession>("list-sessions", API_ROLE)`
SELECT ${listed} FROM sessions s
WHERE s.user_id = ${"userId"} AND s.kind = 'dashboard' AND s.expires_at > clock_timestamp()
ORDER BY s.created_at DESC, s.id
`;
