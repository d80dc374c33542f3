import { API_ROLE, COORDINATOR_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** Facts recorded at the first start. A quarantine counts until an administrator's word that is younger. */
export const readDeployment: Statement<
  Record<never, never>,
  {
    deployment_id: string;
    runtime_kind: string | null;
    engine_id: string | null;
    store_id: string | null;
    gc_generation: number;
    quarantine: string | null;
  }
> = statement<
  Record<never, never>,
  {
    deployment_id: string;
    runtime_kind: string | null;
    engine_id: string | null;
    store_id: string | null;
    gc_generation: number;
    quarantine: string | null;
  }
>("read-deployment", API_ROLE, COORDINATOR_ROLE)`
SELECT deployment_id, runtime_kind, engine_id, store_id, gc_generation,
  CASE WHEN gc_quarantined_at IS NOT NULL AND (gc_resumed_at IS NULL OR gc_resumed_at < gc_quarantined_at)
    THEN gc_quarantine_reason END AS quarantine
FROM deployment
`;
