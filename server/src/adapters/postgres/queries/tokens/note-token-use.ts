import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** When a token was last used. */
export const noteTokenUse = statement<{ id: string }>("note-token-use", API_ROLE)`
UPDATE api_tokens SET last_used_at = clock_timestamp() WHERE id = ${"id"}
`;
