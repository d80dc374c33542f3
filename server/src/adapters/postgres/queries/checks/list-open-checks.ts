import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { OpenCheck } from "#core/checks/check.ts";

/** Those that are not answered, the oldest first; more of them than anybody begins at once. */
export const listOpenChecks = statement<Record<never, never>, OpenCheck>("list-open-checks", COORDINATOR_ROLE)`
SELECT id, user_id AS "userId", kind, host, clone_url AS "cloneUrl", state, asked_at AS "askedAt"
FROM credential_checks WHERE state <> 'done' ORDER BY asked_at LIMIT 100
`;
