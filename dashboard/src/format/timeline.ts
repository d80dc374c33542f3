import type { HistoryEvent, Phase } from "@codehub/contract";

export interface Segment {
  readonly phase: Phase;
  readonly from: number;
  readonly to: number;
}

/**
 * Rebuilds which phase held when, from events that say what changed. The oldest page of history may start in the middle
 * of a life: its first event says where it came from, so the time before it is known as well, back to `since`.
 */
export function segmentsOf(
  events: readonly Pick<HistoryEvent, "at" | "from_phase" | "to_phase">[],
  current: Phase,
  since: number,
  now: number,
): Segment[] {
  const changes = events
    .flatMap((event) =>
      event.to_phase === null || event.from_phase === event.to_phase
        ? []
        : [{ at: new Date(event.at).getTime(), from: event.from_phase, to: event.to_phase }],
    )
    .sort((a, b) => a.at - b.at);
  const segments: Segment[] = [];
  let phase: Phase = changes[0]?.from ?? (changes.length === 0 ? current : "PENDING");
  let from = since;
  for (const change of changes) {
    if (change.at > from) segments.push({ phase, from, to: Math.min(change.at, now) });
    phase = change.to;
    from = Math.max(from, change.at);
  }
  if (now > from) segments.push({ phase, from, to: now });
  return segments.filter((segment) => segment.to > segment.from);
}

/** Cuts segments to a window, so that a picture of the last hour does not draw last year. */
export const within = (segments: readonly Segment[], from: number, to: number): Segment[] =>
  segments
    .filter((segment) => segment.to > from && segment.from < to)
    .map((segment) => ({ ...segment, from: Math.max(from, segment.from), to: Math.min(to, segment.to) }));

const minute = 60_000;
const steps = [1, 5, 15, 30, 60, 180, 360, 720, 1440, 2880, 10_080, 43_200].map((minutes) => minutes * minute);

/** Round moments for the axis: whole minutes, hours or days of the user's zone, at most `most` of them. */
export function ticksOf(from: number, to: number, most: number, zoneOffsetMs: number): number[] {
  const step = steps.find((size) => (to - from) / size <= most) ?? (steps.at(-1) as number);
  const first = Math.ceil((from + zoneOffsetMs) / step) * step - zoneOffsetMs;
  const ticks: number[] = [];
  for (let at = first; at <= to; at += step) ticks.push(at);
  return ticks;
}

/** Share of the window spent in each phase, longest first. */
export function sharesOf(segments: readonly Segment[]): { phase: Phase; ms: number }[] {
  const sums = new Map<Phase, number>();
  for (const { phase, from, to } of segments) sums.set(phase, (sums.get(phase) ?? 0) + to - from);
  return [...sums].map(([phase, ms]) => ({ phase, ms })).sort((a, b) => b.ms - a.ms);
}
