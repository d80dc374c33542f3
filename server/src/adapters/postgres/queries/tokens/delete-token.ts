import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Revokes a token. */
export const deleteToken = statement<{ userId: string; id: string }, { name: string }>("delete-token", API_ROLE)`
DELETE FROM api_tokens WHERE user_id = ${"userId"} AND id = ${"id"} RETURNING name
`;
