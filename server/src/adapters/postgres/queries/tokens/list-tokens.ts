import { API_ROLE } from "#adapters/postgres/roles.ts";
import { tokenColumns } from "#adapters/postgres/rows/token-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { TokenRecord } from "#ports/accounts.ts";

/** The API tokens of a user. */
export const listTokens = statement<{ userId: string }, TokenRecord>("list-tokens", API_ROLE)`
SELECT ${tokenColumns} FROM api_tokens t WHERE t.user_id = ${"userId"} ORDER BY t.created_at, t.id
`;
