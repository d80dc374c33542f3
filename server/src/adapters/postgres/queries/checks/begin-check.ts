import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Nobody begins it twice. */
export const beginCheck = statement<{ id: string }>("begin-check", COORDINATOR_ROLE)`
UPDATE credential_checks SET state = 'running' WHERE id = ${"id"} AND state = 'asked'
`;
