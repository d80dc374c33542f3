import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Nobody is promised this archive any more. */
export const orphanArchive = statement<{ key: string }>("orphan-archive", COORDINATOR_ROLE)`
UPDATE archives SET state = 'orphan', keep_until = NULL WHERE key = ${"key"}
`;
