import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Forgets hours that are too old. */
export const forgetUsage = statement<{ keptMs: number }>("forget-usage", COORDINATOR_ROLE)`
DELETE FROM usage_hours WHERE at < now() - ${"keptMs"}::bigint * interval '1 millisecond'
`;
