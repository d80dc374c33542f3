import type { Phase, System } from "@codehub/contract";

export const stackOrder = ["RUNNING", "STANDBY", "ARCHIVED", "PENDING", "ERROR"] as const satisfies readonly Phase[];

interface Band {
  readonly phase: (typeof stackOrder)[number];
  /** An SVG path of the area, in a box of width by height. */
  readonly path: string;
}

export interface Stack {
  readonly bands: readonly Band[];
  readonly top: number;
  readonly from: number;
  readonly to: number;
}

/** A round number at or above the largest sum, so that the axis reads well and the picture does not touch its edge. */
export function niceTop(largest: number): number {
  if (largest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((value) => value >= largest) ?? largest;
}

/** Counts over time, one on top of the other. A count holds until the next sample, so the areas are steps. */
export function stackOf(history: System["history"], now: number, width: number, height: number): Stack | null {
  const samples = history
    .map(({ at, counts }) => ({ at: new Date(at).getTime(), counts }))
    .filter(({ at }) => at <= now)
    .sort((a, b) => a.at - b.at);
  const first = samples[0];
  if (first === undefined || now <= first.at) return null;
  const sumOf = (counts: System["counts"], phases: readonly Phase[]) =>
    phases.reduce((sum, phase) => sum + counts[phase], 0);
  const top = niceTop(Math.max(...samples.map(({ counts }) => sumOf(counts, stackOrder))));
  const x = (at: number) => ((at - first.at) / (now - first.at)) * width;
  const y = (value: number) => height - (value / top) * height;
  const edge = (phases: readonly Phase[]) =>
    samples.flatMap(({ at, counts }, index) => {
      const until = samples[index + 1]?.at ?? now;
      const level = y(sumOf(counts, phases));
      return [
        [x(at), level],
        [x(until), level],
      ] as const;
    });
  const write = (points: readonly (readonly [number, number])[]) =>
    points.map(([px, py]) => `${Number(px.toFixed(1))},${Number(py.toFixed(1))}`).join(" L");
  const bands = stackOrder.map((phase, index) => {
    const upper = edge(stackOrder.slice(0, index + 1));
    const lower = edge(stackOrder.slice(0, index)).toReversed();
    return { phase, path: `M${write([...upper, ...lower])} Z` };
  });
  return { bands, top, from: first.at, to: now };
}
