import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Makes a key known; it only opens until it is told to seal. */
export const insertSecretKey = statement<{ id: string; check: string }>("insert-secret-key", API_ROLE)`
INSERT INTO secret_keys (id, check_value, state) VALUES (${"id"}, ${"check"}, 'opening') ON CONFLICT (id) DO NOTHING
`;
