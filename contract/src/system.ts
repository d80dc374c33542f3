import { type Static, Type } from "typebox";
import { Deployment } from "./account.ts";
import { Count, closed, nullable, Timestamp, Uuid } from "./schema.ts";
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

export const GarbageCollection = closed(
  {
    quarantined: Type.Boolean(),
    reason: nullable(Type.String()),
    last_run_at: nullable({ ...Timestamp, description: "When the archive store was last listed." }),
    next_run_at: nullable({ ...Timestamp, description: "When it is listed next; null while nobody leads." }),
    listed: Type.Integer({ minimum: 0, description: "Archives in the store at that time." }),
    kept: Type.Array(
      closed({
        reason: Type.Enum(["in_use", "version", "trash", "operation", "error"]),
        count: Count,
        until: nullable({ ...Timestamp, description: "The earliest time at which one of them is let go of." }),
      }),
      { description: "What stayed at that time, by reason." },
    ),
    ageing: Type.Integer({ minimum: 0, description: "Nothing protects these; they wait for their two hours." }),
    aged: Type.Integer({ minimum: 0, description: "These have waited long enough and are removed now." }),
    removed_since_run: Count,
    removed_24h: Count,
  },
  { title: "GarbageCollection" },
);
export type GarbageCollection = Static<typeof GarbageCollection>;

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
    gc: GarbageCollection,
    sse_clients: Count,
  },
  { title: "System" },
);
export type System = Static<typeof System>;

export const Finding = closed(
  {
    check: Type.Enum([
      "configuration",
      "database",
      "roles",
      "clocks",
      "secrets",
      "redis",
      "store",
      "engine",
      "images",
      "firewall",
      "dns",
      "disk",
      "descriptors",
    ]),
    level: Type.Enum(["ok", "warning", "broken", "unknown"]),
    code: Type.String(),
    fields: Type.Record(Type.String(), Type.Unknown()),
    found: Type.String({ description: "What was found, in a sentence." }),
    cure: nullable(Type.String({ description: "What to do about it; null where nothing has to be done." })),
  },
  { title: "Finding" },
);
export type Finding = Static<typeof Finding>;

export const Examination = closed(
  {
    at: Timestamp,
    machine: Type.String({ description: "The machine that looked: others may see DNS, disk and limits differently." }),
    healthy: Type.Boolean({ description: "Nothing is broken." }),
    findings: Type.Array(Finding),
  },
  { title: "Examination" },
);
export type Examination = Static<typeof Examination>;

export const Attention = closed(
  {
    items: Type.Array(
      closed({
        key: Type.String({ description: "The same for as long as it is the same thing." }),
        code: Type.String(),
        text: Type.String(),
        action: nullable(Type.String({ description: "What to do; null where nothing has to be done." })),
        path: Type.String({ description: "The page of the dashboard where it is seen." }),
      }),
    ),
  },
  { title: "Attention" },
);
export type Attention = Static<typeof Attention>;

export const UsageReportQuery = closed({
  weeks: Type.Optional(Type.Integer({ minimum: 1, maximum: 104, default: 12 })),
});

export const UsageReport = closed(
  {
    weeks: Type.Array(Timestamp, { description: "When each begins: Mondays, UTC. The last one is not over." }),
    users: Type.Array(
      closed({
        user_id: Uuid,
        username: Type.String(),
        hours: Type.Array(Type.Number({ minimum: 0 }), { description: "That workspaces ran, for each week." }),
        home_bytes: Type.Array(Count, {
          description: "Homes at the end of each week, as large as they were when last archived.",
        }),
      }),
      { description: "Whoever used something." },
    ),
  },
  { title: "UsageReport" },
);
export type UsageReport = Static<typeof UsageReport>;

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
