import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The first answer stays. */
export const finishCheck = statement<{ id: string; code: string; fields: string }>("finish-check", COORDINATOR_ROLE)`
UPDATE credential_checks SET state = 'done', code = ${"code"}, fields = ${"fields"}, finished_at = now()
WHERE id = ${"id"} AND state <> 'done'
`;
