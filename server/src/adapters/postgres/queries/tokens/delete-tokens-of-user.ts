import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Revokes every token of a user. */
export const deleteTokensOfUser = statement<{ userId: string }>("delete-tokens-of-user", API_ROLE)`
DELETE FROM api_tokens WHERE user_id = ${"userId"}
`;
