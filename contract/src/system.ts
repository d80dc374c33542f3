import { type Static, Type } from "typebox";
import { Deployment } from "./account.ts";
import { Count, closed, nullable, Timestamp } from "./schema.ts";
import { Operation } from "./workspace.ts";

export const ComponentHealth = closed(
  {
    name: Type.Enum(["database", "bus", "engine", "store", "coordinator"]),
    status: Type.Enum(["ok", "degraded", "down", "unknown"]),
    detail: Type.String(),
    since: nullable(Timestamp),
  },
  { title: "ComponentHealth" },
);
export type ComponentHealth = Static<typeof ComponentHealth>;

export const PhaseCounts = closed(
  {
    PENDING: Count,
    ARCHIVED: Count,
    STANDBY: Count,
    RUNNING: Count,
    ERROR: Count,
    DELETING: Count,
    DELETED: Count,
  },
  { title: "PhaseCounts" },
);
export type PhaseCounts = Static<typeof PhaseCounts>;

export const OperationStats = closed(
  {
    operation: Operation,
    running: Count,
    finished_24h: Count,
    failed_24h: Count,
    median_seconds: nullable(Type.Number({ minimum: 0 })),
    p95_seconds: nullable(Type.Number({ minimum: 0 })),
  },
  { title: "OperationStats" },
);
export type OperationStats = Static<typeof OperationStats>;

export const System = closed(
  {
    now: Timestamp,
    deployment: Deployment,
    counts: PhaseCounts,
    users: Count,
    running: closed({ used: Count, limit: Count }),
    converging: closed({ count: Count, oldest_seconds: nullable(Count) }),
    history: Type.Array(closed({ at: Timestamp, counts: PhaseCounts })),
    operations: Type.Array(OperationStats),
    leader: nullable(closed({ holder: Type.String(), epoch: Count, since: Timestamp })),
    health: Type.Array(ComponentHealth),
    gc: closed({
      quarantined: Type.Boolean(),
      reason: nullable(Type.String()),
      last_run_at: nullable(Timestamp),
    }),
    sse_clients: Count,
  },
  { title: "System" },
);
export type System = Static<typeof System>;

/** /readyz: 200 when every check holds, else 503 with the reasons. */
export const Readiness = closed(
  {
    ready: Type.Boolean(),
    checks: Type.Array(closed({ name: Type.String(), ok: Type.Boolean(), detail: Type.String() })),
  },
  { title: "Readiness" },
);
export type Readiness = Static<typeof Readiness>;

export const Liveness = closed({ status: Type.Literal("ok") }, { title: "Liveness" });
