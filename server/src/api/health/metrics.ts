import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The API's own metrics. Names and labels are documented in docs/operating/metrics.md; no label names a person. */
export interface ApiMetrics {
  readonly registry: Registry;
  readonly requests: Counter<"route" | "method" | "status">;
  readonly duration: Histogram<"route" | "method">;
  readonly logins: Counter<"outcome">;
  readonly events: Counter<"type">;
  readonly streams: Gauge;
  readonly workspaces: Gauge<"phase">;
  readonly slots: Gauge<"kind">;
  readonly converging: Gauge;
  readonly oldestConverging: Gauge;
  readonly operations: Gauge<"operation">;
  readonly operationsLastDay: Gauge<"operation" | "outcome">;
  readonly operationDuration: Gauge<"operation" | "quantile">;
  readonly component: Gauge<"component">;
  readonly findings: Gauge<"check" | "level">;
  readonly leaderEpoch: Gauge;
  readonly collectionQuarantined: Gauge;
  readonly collectionWaiting: Gauge<"state">;
  readonly collectionKept: Gauge<"reason">;
  readonly collectionRemoved: Gauge;
  readonly collectionLastRun: Gauge;
}

/** What is fine is not counted. */
export const FINDING_LEVELS = ["broken", "warning", "unknown"] as const;
const LOGIN_OUTCOMES = ["ok", "refused", "throttled"] as const;

/** One registry a process; other parts add theirs to `registry`. */
export function createMetrics(options: { readonly processMetrics: boolean }): ApiMetrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.processMetrics) collectDefaultMetrics({ register: registry, prefix: "codehub_process_" });
  const logins = new Counter({
    name: "codehub_login_attempts_total",
    help: "Sign-in attempts by outcome: ok, refused, throttled.",
    labelNames: ["outcome"],
    registers,
  });
  // A counter that appears with its first count has not risen, for whoever compares two scrapes.
  for (const outcome of LOGIN_OUTCOMES) logins.inc({ outcome }, 0);
  return {
    registry,
    requests: new Counter({
      name: "codehub_http_requests_total",
      help: "Answered API requests.",
      labelNames: ["route", "method", "status"],
      registers,
    }),
    duration: new Histogram({
      name: "codehub_http_request_duration_seconds",
      help: "Time from request to answer, without event streams and downloads.",
      labelNames: ["route", "method"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    logins,
    events: new Counter({
      name: "codehub_sse_events_total",
      help: "Events written to streams, by type.",
      labelNames: ["type"],
      registers,
    }),
    streams: new Gauge({ name: "codehub_sse_clients", help: "Open event streams.", registers }),
    workspaces: new Gauge({
      name: "codehub_workspaces",
      help: "Workspaces by phase.",
      labelNames: ["phase"],
      registers,
    }),
    slots: new Gauge({
      name: "codehub_running_slots",
      help: "Running slots in the whole deployment: held and limit.",
      labelNames: ["kind"],
      registers,
    }),
    converging: new Gauge({
      name: "codehub_converging",
      help: "Workspaces that are not yet where they are requested to be.",
      registers,
    }),
    oldestConverging: new Gauge({
      name: "codehub_converging_oldest_seconds",
      help: "How long ago the oldest request was made that is not yet fulfilled; 0 where all are.",
      registers,
    }),
    operations: new Gauge({
      name: "codehub_operations",
      help: "Operations under way.",
      labelNames: ["operation"],
      registers,
    }),
    operationsLastDay: new Gauge({
      name: "codehub_operations_last_day",
      help: "Attempts of the last 24 hours by outcome: completed, failed.",
      labelNames: ["operation", "outcome"],
      registers,
    }),
    operationDuration: new Gauge({
      name: "codehub_operation_duration_seconds",
      help: "Time from claim to commit in the last 24 hours, median and 95 of 100; 0 where none was completed.",
      labelNames: ["operation", "quantile"],
      registers,
    }),
    component: new Gauge({
      name: "codehub_component_up",
      help: "1 when the part answers, 0 when it does not.",
      labelNames: ["component"],
      registers,
    }),
    findings: new Gauge({
      name: "codehub_doctor_findings",
      help: "What codehub doctor finds from here, at most every five minutes, by check and level.",
      labelNames: ["check", "level"],
      registers,
    }),
    leaderEpoch: new Gauge({ name: "codehub_leader_epoch", help: "Epoch of the present coordinator.", registers }),
    collectionQuarantined: new Gauge({
      name: "codehub_gc_quarantined",
      help: "1 while nothing is removed from the archive store until an administrator resumes it.",
      registers,
    }),
    collectionWaiting: new Gauge({
      name: "codehub_gc_waiting",
      help: "Archives that nothing protects: ageing, or aged and to be removed.",
      labelNames: ["state"],
      registers,
    }),
    collectionKept: new Gauge({
      name: "codehub_gc_kept",
      help: "Archives that stayed at the last listing, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    collectionRemoved: new Gauge({
      name: "codehub_gc_removed_last_day",
      help: "Archives removed in the last 24 hours.",
      registers,
    }),
    collectionLastRun: new Gauge({
      name: "codehub_gc_last_run_timestamp_seconds",
      help: "When the archive store was last listed; 0 is never.",
      registers,
    }),
  };
}
