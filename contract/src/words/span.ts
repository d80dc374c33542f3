const rules = new Intl.PluralRules("en");

/** Words that depend on how many there are; English has one form for one and one for everything else. */
export interface Forms {
  readonly one: string;
  readonly other: string;
}

export const formOf = (count: number, forms: Forms): string =>
  rules.select(count) === "one" ? forms.one : forms.other;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const counted = (count: number, forms: Forms): string => `${count} ${formOf(count, forms)}`;

/** A span in the coarsest unit that still says something: "8 min", "3 h", "12 days". */
export function span(ms: number): string {
  const size = Math.abs(ms);
  if (size < 59.5 * second) return `${Math.max(1, Math.round(size / second))} s`;
  if (size < 59.5 * minute) return `${Math.round(size / minute)} min`;
  if (size < 47.5 * hour) return `${Math.round(size / hour)} h`;
  if (size < 60 * day) return counted(Math.round(size / day), { one: "day", other: "days" });
  return counted(Math.round(size / (30.4 * day)), { one: "month", other: "months" });
}

/** A measured duration, exact enough to compare: "0.8 s", "12 s", "3.4 min". */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${(seconds / 60).toFixed(1)} min`;
}
