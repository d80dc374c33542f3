import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type Statement, statement } from "#adapters/postgres/statement.ts";

/** Revokes every token of a user. */
export const deleteTokensOfUser: Statement<{ userId: string }, Record<never, never>> = statement<{ userId: string }>(
  "delete-tokens-of-user",
  API_ROLE,
)`
DELETE FROM api_tokens WHERE user_id = ${"userId"}
`;
