import { Counter, Gauge, type Registry } from "prom-client";
import type { Signal } from "./activity/vscode-socket.ts";
import type { ForwardFailure } from "./site/forward.ts";

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

const FALLBACK_REASONS = ["parse", "no_presence", "fault"] as const;
const FAILURE_REASONS: readonly ForwardFailure[] = ["unreachable", "busy", "bad-response", "redirect-to-dashboard"];

const SIGNALS: readonly Signal[] = ["presence", "editing", "terminal_input", "terminal_output", "request", "message"];

export function createProxyMetrics(registry: Registry): ProxyMetrics {
  const registers = [registry];
  const metrics: ProxyMetrics = {
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
  // A counter that appears with its first count has not risen, for whoever compares two scrapes.
  for (const reason of FAILURE_REASONS) metrics.failures.inc({ reason }, 0);
  for (const reason of FALLBACK_REASONS) metrics.activityFallbacks.inc({ reason }, 0);
  for (const signal of SIGNALS) metrics.activity.inc({ signal }, 0);
  return metrics;
}
