/** One figure over time, as it is drawn: null where nothing is known. */
export interface Line {
  /** For each stretch without a gap: the line, and the area below it. */
  readonly strokes: readonly string[];
  readonly areas: readonly string[];
  readonly top: number;
  readonly peak: number;
}

interface Frame {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly width: number;
  readonly height: number;
}

/** A point a little later than a step after the one before belongs to it; a later one does not. */
const bridge = 1.9;

/** Each value stands for its whole step. Null where there is nothing to draw. */
export function lineOf(
  points: readonly { readonly at: number; readonly value: number | null }[],
  { from, to, stepMs, width, height }: Frame,
): Line | null {
  const known = points.flatMap(({ at, value }) => (value === null ? [] : [{ at, value }]));
  if (known.length === 0) return null;
  const peak = Math.max(...known.map(({ value }) => value));
  const top = topOf(peak);
  const x = (at: number) => round((Math.min(Math.max(at, from), to) - from) * (width / (to - from)));
  const y = (value: number) => round(height - (value / top) * height);
  const strokes: string[] = [];
  const areas: string[] = [];
  for (const stretch of stretches(known, stepMs * bridge)) {
    const [first] = stretch;
    const last = stretch.at(-1);
    if (first === undefined || last === undefined) continue;
    const corners = [...stretch.map(({ at, value }) => [x(at), y(value)]), [x(last.at + stepMs), y(last.value)]];
    const path = corners.map(([left, above]) => `${left} ${above}`).join("L");
    strokes.push(`M${path}`);
    areas.push(`M${x(first.at)} ${height}L${path}L${x(last.at + stepMs)} ${height}Z`);
  }
  return { strokes, areas, top, peak };
}

/** A round number at or above the highest value, however small that is. */
function topOf(peak: number): number {
  if (peak <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(peak));
  return [1, 2, 2.5, 5].map((step) => step * power).find((value) => value >= peak) ?? 10 * power;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function stretches<T extends { readonly at: number }>(points: readonly T[], gapMs: number): T[][] {
  const found: T[][] = [];
  for (const point of points) {
    const current = found.at(-1);
    const before = current?.at(-1);
    if (current === undefined || before === undefined || point.at - before.at > gapMs) found.push([point]);
    else current.push(point);
  }
  return found;
}

/** How busy processors are: "12 % of a core", "1.5 cores". */
export function cores(value: number): string {
  if (value < 0.995) return `${Math.round(value * 100)} % of a core`;
  const shown = value.toFixed(1);
  return shown === "1.0" ? "1 core" : `${shown} cores`;
}
