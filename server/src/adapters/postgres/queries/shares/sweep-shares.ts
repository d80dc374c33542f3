import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Expired an hour ago: everybody who was let in has been seen out. */
export const sweepShares = statement<Record<never, never>>("sweep-shares", API_ROLE)`
DELETE FROM port_shares WHERE expires_at < clock_timestamp() - interval '1 hour'
`;
