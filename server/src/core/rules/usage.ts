import type { Seen } from "#core/rows/observation.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { DiskUse } from "./disk.ts";

/** Why a figure cannot be had. */
export const USAGE_GAPS = [
  /** It takes two looks, or there was no time for the first one yet. */
  "soon",
  /** Whoever was asked did not say. */
  "unanswered",
  "no_metrics_server",
  /** The cluster's role for us does not let us ask. */
  "not_allowed",
  /** The kernel or the engine does not count it on this machine. */
  "not_counted",
  "too_many_files",
  /** Started by an older version, which cannot tell. */
  "old_relay",
] as const;
export type UsageGap = (typeof USAGE_GAPS)[number];

export const FIGURES = ["cpu", "memory", "home", "disk"] as const;
export type Figure = (typeof FIGURES)[number];

/** Processor time since the container started, or what it takes now where somebody else has done the sum. */
export type CpuSeen = { readonly totalMs: number } | { readonly cores: number };

/** What a running container uses at one moment: each part was seen or not, and `why` is then a gap. */
export interface UsageSeen {
  readonly disk: Seen<DiskUse>;
  readonly cpu: Seen<CpuSeen>;
  readonly memoryBytes: Seen<number>;
}

/** What the processor time of a container was, to be compared with at the next look. */
export interface CpuReading {
  readonly containerId: string;
  readonly at: Ms;
  readonly totalMs: number;
}

/** What is written down of one workspace, once a minute. A figure that is null has its reason in `missing`. */
export interface UsageSample {
  readonly workspaceId: string;
  readonly cpuCores: number | null;
  readonly memoryBytes: number | null;
  readonly homeBytes: number | null;
  readonly disk: DiskUse | null;
  readonly missing: Readonly<Partial<Record<Figure, UsageGap>>>;
}

/**
 * How many cores were busy between two looks. Not known from one alone, nor where the sum fell: processes whose time
 * nobody waited for took it with them.
 */
export function coresBetween(before: CpuReading | null, now: CpuReading): number | null {
  if (before === null || before.containerId !== now.containerId || now.at <= before.at) return null;
  const busyMs = now.totalMs - before.totalMs;
  return busyMs < 0 ? null : busyMs / (now.at - before.at);
}

const gapOf = (why: string): UsageGap => USAGE_GAPS.find((gap) => gap === why) ?? "unanswered";

export interface UsageLook {
  readonly workspaceId: string;
  readonly containerId: string;
  readonly at: Ms;
  /** Null: it was not among the answers. */
  readonly seen: UsageSeen | null;
  /** What the home's files take, where they were counted lately. */
  readonly home: Seen<number>;
  readonly before: CpuReading | null;
}

/** The sample of one look, and what the next one compares with. A home on a disk of its own takes what that disk says. */
export function sampleOf(look: UsageLook): { readonly sample: UsageSample; readonly reading: CpuReading | null } {
  const { workspaceId, containerId, at, seen, before } = look;
  const silent = { known: false, why: "unanswered" } as const;
  const { cpu, memoryBytes, disk } = seen ?? { cpu: silent, memoryBytes: silent, disk: silent };
  const own: Seen<number> = disk.known && !disk.value.shared ? { known: true, value: disk.value.usedBytes } : look.home;
  const reading = cpu.known && "totalMs" in cpu.value ? { containerId, at, totalMs: cpu.value.totalMs } : null;
  const rate = reading === null ? null : coresBetween(before, reading);
  const cores: Seen<number> = !cpu.known
    ? cpu
    : "cores" in cpu.value
      ? { known: true, value: cpu.value.cores }
      : rate === null
        ? { known: false, why: "soon" }
        : { known: true, value: rate };
  const figures: Readonly<Record<Figure, Seen<unknown>>> = { cpu: cores, memory: memoryBytes, home: own, disk };
  const missing: Partial<Record<Figure, UsageGap>> = {};
  for (const figure of FIGURES) {
    const part = figures[figure];
    if (!part.known) missing[figure] = gapOf(part.why);
  }
  const sample = {
    workspaceId,
    cpuCores: cores.known ? cores.value : null,
    memoryBytes: memoryBytes.known ? memoryBytes.value : null,
    homeBytes: own.known ? own.value : null,
    disk: disk.known ? disk.value : null,
    missing,
  };
  return { sample, reading };
}
