import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** What somebody was called who was deleted, while nobody gives away what they had. */
export const lockDeleted = statement<{ id: string }, { username: string }>("lock-deleted", API_ROLE)`
SELECT username FROM users WHERE id = ${"id"} AND deleted_at IS NOT NULL FOR UPDATE
`;
