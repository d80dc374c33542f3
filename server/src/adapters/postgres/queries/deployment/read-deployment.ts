import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Row = {
  deployment_id: string;
  runtime_kind: string | null;
  engine_id: string | null;
  store_id: string | null;
  gc_generation: number;
  quarantine: string | null;
};

/** Facts recorded at the first start. */
export const readDeployment = statement<Record<never, never>, Row>("read-deployment", API_ROLE, COORDINATOR_ROLE)`
SELECT deployment_id, runtime_kind, engine_id, store_id, gc_generation,
  gc_quarantine_reason AS quarantine
FROM deployment
`;
