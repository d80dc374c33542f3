import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Administrators that are left without this one. */
export const countOtherAdmins = statement<{ id: string }, { count: number }>("count-other-admins", API_ROLE)`
SELECT count(*) AS count FROM users WHERE role = 'admin' AND disabled_at IS NULL AND id <> ${"id"}
`;
