import { Counter, Gauge, type Registry } from "prom-client";

/** The proxy's own metrics. No label names a person or a workspace. */
export interface ProxyMetrics {
  readonly requests: Counter;
  readonly failures: Counter<"reason">;
  readonly sockets: Gauge;
  readonly refusals: Counter<"reason">;
  readonly wakes: Counter<"outcome">;
  /** Times at which a workspace's protocol was not understood and activity was judged by the general rule instead. */
  readonly activityFallbacks: Counter<"reason">;
  readonly activity: Counter<"signal">;
}

export function createProxyMetrics(registry: Registry): ProxyMetrics {
  const registers = [registry];
  return {
    requests: new Counter({ name: "codehub_proxy_requests_total", help: "Requests carried to workspaces.", registers }),
    failures: new Counter({
      name: "codehub_proxy_failures_total",
      help: "Requests that a workspace did not answer properly, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    sockets: new Gauge({ name: "codehub_proxy_websockets", help: "Open WebSockets to workspaces.", registers }),
    refusals: new Counter({
      name: "codehub_proxy_refusals_total",
      help: "Requests that were not let in, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    wakes: new Counter({
      name: "codehub_proxy_wakes_total",
      help: "Visits that asked for a wake, by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    activityFallbacks: new Counter({
      name: "codehub_proxy_activity_fallbacks_total",
      help: "Sockets whose protocol was not understood, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    activity: new Counter({
      name: "codehub_proxy_activity_total",
      help: "Signs of a person at work, by kind.",
      labelNames: ["signal"],
      registers,
    }),
  };
}
