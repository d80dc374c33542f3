import { columns, type Fragment } from "#adapters/postgres/statement.ts";
import type { TokenRecord } from "#ports/accounts.ts";

const FIELDS: readonly (keyof TokenRecord)[] = ["id", "name", "createdAt", "lastUsedAt", "expiresAt"];

/** The columns of the table that the statement calls `t`; the token's hash is never among them by accident. */
export const tokenColumns: Fragment = columns("t", FIELDS);
