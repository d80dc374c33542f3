import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** New values are sealed with this key from now on. */
export const beginSealing = statement<{ id: string }>("begin-sealing", API_ROLE)`
UPDATE secret_keys SET state = 'sealing' WHERE id = ${"id"} AND state <> 'sealing'
`;
