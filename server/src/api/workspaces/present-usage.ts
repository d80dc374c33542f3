import type { UsageRange, WorkspaceUsage } from "@codehub/contract";
import { isoTime } from "#core/rows/iso-time.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { UsageLatest, UsagePoint, Views } from "#ports/views.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** About a hundred steps each, as wide as a drawing of them is. */
export const USAGE_STEPS: Readonly<Record<UsageRange, { readonly rangeMs: Ms; readonly stepMs: Ms }>> = {
  hour: { rangeMs: HOUR, stepMs: MINUTE },
  day: { rangeMs: DAY, stepMs: 10 * MINUTE },
  month: { rangeMs: 30 * DAY, stepMs: 6 * HOUR },
};

interface Asked {
  readonly range: UsageRange;
  readonly from: Ms;
  readonly to: Ms;
  readonly stepMs: Ms;
  readonly keptMs: Ms;
}

export function presentUsage(
  { latest, points }: Awaited<ReturnType<Views["usage"]>>,
  { range, from, to, stepMs, keptMs }: Asked,
): WorkspaceUsage {
  return {
    range,
    from: isoTime(from),
    to: isoTime(to),
    step_seconds: stepMs / 1_000,
    kept_days: Math.round(keptMs / DAY),
    latest: latest === null ? null : presentLatest(latest),
    series: points.map((point) => ({ ...figures(point), disk_used_bytes: point.diskUsedBytes })),
  };
}

const figures = ({ at, cpuCores, memoryBytes, homeBytes }: UsagePoint) => ({
  at: isoTime(at),
  cpu_cores: cpuCores,
  memory_bytes: memoryBytes,
  home_bytes: homeBytes,
});

function presentLatest(latest: UsageLatest): WorkspaceUsage["latest"] {
  const { diskUsedBytes: used, diskTotalBytes: total, diskShared: shared, missing, homeBytes } = latest;
  const { home, ...others } = missing;
  return {
    ...figures(latest),
    disk: used === null || total === null ? null : { used_bytes: used, total_bytes: total, shared: shared ?? false },
    // The size that was is better than none.
    missing: { ...others, ...(home === undefined || homeBytes !== null ? {} : { home }) },
  };
}
