import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** Role, limit and whether the account may be used; a second disabling does not move the time of the first. */
export const updateAccount = statement<
  { id: string; role: string; disabled: boolean; maxRunning: number | null },
  Account
>("update-account", API_ROLE)`
UPDATE users AS u SET role = ${"role"}, max_running = ${"maxRunning"},
  disabled_at = CASE WHEN ${"disabled"}::boolean THEN coalesce(u.disabled_at, clock_timestamp()) END
WHERE u.id = ${"id"}
RETURNING ${accountColumns}
`;
