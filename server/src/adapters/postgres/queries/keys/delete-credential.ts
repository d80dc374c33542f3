import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deletes an HTTPS credential. */
export const deleteCredential = statement<{ userId: string; id: string }, { host: string }>(
  "delete-credential",
  API_ROLE,
)`
DELETE FROM credentials WHERE user_id = ${"userId"} AND id = ${"id"} AND kind = 'https' RETURNING host
`;
