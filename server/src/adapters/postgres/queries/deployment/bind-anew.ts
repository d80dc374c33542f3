import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Replaces what the deployment is bound to, by an operator's word; what is null is bound at the next start. */
export const bindAnew = statement<{ runtimeKind: string | null; engineId: string | null; storeId: string | null }>(
  "bind-anew",
  COORDINATOR_ROLE,
)`
UPDATE deployment SET runtime_kind = ${"runtimeKind"}, engine_id = ${"engineId"}, store_id = ${"storeId"}
`;
