import { columns, type Fragment } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

const FIELDS: readonly (keyof Account)[] = [
  ...(["id", "username", "role", "disabledAt", "createdAt", "lastLoginAt", "mustChangePassword"] as const),
  ...(["deletedAt", "maxRunning"] as const),
];

/** The columns of the table that the statement calls `u`; the password's hash is never among them by accident. */
export const accountColumns: Fragment = columns("u", FIELDS);
