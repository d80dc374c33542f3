import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Ends every session of a user. */
export const deleteSessionsOfUser = statement<{ userId: string }>("delete-sessions-of-user", API_ROLE)`
DELETE FROM sessions WHERE user_id = ${"userId"}
`;
