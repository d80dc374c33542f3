import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** While one transaction changes who may administer, no other one does. */
export const takeAccountsLock = statement<Record<never, never>>("take-accounts-lock", API_ROLE)`
SELECT pg_advisory_xact_lock(7201949)
`;
