import type { ProxyMetrics } from "#proxy/metrics.ts";

/** For which reasons a connection was judged by the general rule; a reason that did not happen is told as 0. */
export async function fallbackReasons({ activityFallbacks }: ProxyMetrics): Promise<unknown[]> {
  const { values } = await activityFallbacks.get();
  return values.filter(({ value }) => value > 0).map(({ labels }) => labels.reason);
}
