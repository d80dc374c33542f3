import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The keys that the database knows. */
export const listSecretKeys = statement<Record<never, never>, { id: string; check: string; seals: boolean }>(
  "list-secret-keys",
  API_ROLE,
)`
SELECT id, check_value AS "check", state = 'sealing' AS seals FROM secret_keys ORDER BY created_at, id
`;
