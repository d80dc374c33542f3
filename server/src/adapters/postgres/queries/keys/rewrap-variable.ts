import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Another key for a variable that is still the same. */
export const rewrapVariable = statement<{ id: string; was: string; keyId: string; wrapped: Uint8Array }>(
  "rewrap-variable",
  API_ROLE,
)`
UPDATE variables SET wrapped = ${"wrapped"}, key_id = ${"keyId"} WHERE id = ${"id"} AND key_id = ${"was"}
`;
