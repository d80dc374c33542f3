import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Answers that nobody reads any more. One that is not answered may have a job, and stays. */
export const deleteOldChecks = statement<{ ageMs: number }>("delete-old-checks", COORDINATOR_ROLE)`
DELETE FROM credential_checks
WHERE state = 'done' AND finished_at < now() - ${"ageMs"}::double precision * interval '1 millisecond'
`;
