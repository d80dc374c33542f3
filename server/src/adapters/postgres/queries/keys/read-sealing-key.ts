import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The key that seals; it goes on being that until the transaction has ended. */
export const readSealingKey = statement<Record<never, never>, { id: string }>("read-sealing-key", API_ROLE)`
SELECT id FROM secret_keys WHERE state = 'sealing' FOR SHARE
`;
