import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Records runtime, engine and store where none is recorded yet; what did not answer stays open. */
export const bindDeployment = statement<{ runtimeKind: string; engineId: string | null; storeId: string | null }>(
  "bind-deployment",
  COORDINATOR_ROLE,
)`
UPDATE deployment SET
  runtime_kind = coalesce(runtime_kind, ${"runtimeKind"}), engine_id = coalesce(engine_id, ${"engineId"}),
  store_id = coalesce(store_id, ${"storeId"})
`;
