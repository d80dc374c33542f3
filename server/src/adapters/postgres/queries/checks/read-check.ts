import { API_ROLE } from "#adapters/postgres/roles.ts";
import { CHECK_COLUMNS, type CheckRow } from "#adapters/postgres/rows/check-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** One of this user's. */
export const readCheck = statement<{ userId: string; id: string }, CheckRow>("read-check", API_ROLE)`
SELECT ${CHECK_COLUMNS} FROM credential_checks c WHERE c.user_id = ${"userId"} AND c.id = ${"id"}
`;
