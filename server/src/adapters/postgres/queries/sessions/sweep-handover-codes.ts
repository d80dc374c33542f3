import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Codes that nobody used. */
export const sweepHandoverCodes = statement<Record<never, never>>("sweep-handover-codes", API_ROLE)`
DELETE FROM handover_codes WHERE expires_at < now()
`;
