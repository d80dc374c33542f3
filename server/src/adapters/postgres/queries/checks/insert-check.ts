import { API_ROLE } from "#adapters/postgres/roles.ts";
import { CHECK_COLUMNS, type CheckRow } from "#adapters/postgres/rows/check-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { NewCheck } from "#ports/checks.ts";

/** Asks. */
export const insertCheck = statement<NewCheck & Record<never, never>, CheckRow>("insert-check", API_ROLE)`
INSERT INTO credential_checks AS c (id, user_id, kind, host, clone_url)
VALUES (${"id"}, ${"userId"}, ${"kind"}, ${"host"}, ${"cloneUrl"})
RETURNING ${CHECK_COLUMNS}
`;
