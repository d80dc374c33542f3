import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Forgets the keys that nothing is sealed with, but not the one that seals. */
export const deleteUnusedKeys = statement<Record<never, never>, { id: string }>("delete-unused-keys", API_ROLE)`
DELETE FROM secret_keys k
WHERE k.state <> 'sealing' AND NOT EXISTS (SELECT FROM credentials c WHERE c.key_id = k.id)
  AND NOT EXISTS (SELECT FROM variables v WHERE v.key_id = k.id)
RETURNING id
`;
