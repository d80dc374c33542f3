import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Another key for a credential that is still the same. */
export const rewrapCredential = statement<{ id: string; was: string; keyId: string; wrapped: Uint8Array }>(
  "rewrap-credential",
  API_ROLE,
)`
UPDATE credentials SET wrapped = ${"wrapped"}, key_id = ${"keyId"} WHERE id = ${"id"} AND key_id = ${"was"}
`;
