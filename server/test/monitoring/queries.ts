/** What Prometheus adds to every series of a target, and what it says itself. */
const OF_PROMETHEUS = ["instance", "job"];
export const OWN_METRICS: ReadonlySet<string> = new Set(["up"]);

const KEYWORDS: ReadonlySet<string> = new Set(["and", "or", "unless", "bool", "offset"]);

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

export interface Query {
  readonly selectors: readonly Selector[];
  /** Labels by which the result is grouped; null where nothing is put together. */
  readonly by: readonly string[] | null;
}

/** As much of PromQL as our own queries use: every name that is no function and no keyword is a metric. */
export function readQuery(expr: string): Query {
  const groups = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].map(([, labels = ""]) => labels.split(/\s*,\s*/));
  const aggregates = /\b(?:sum|max|min|count|avg)\b\s*(?:by\s*\([^)]*\)\s*)?\(/.test(expr);
  const rest = expr.replace(/\bby\s*\([^)]*\)/g, "").replace(/\[[^\]]*\]/g, "");
  const selectors = [...rest.matchAll(/([a-zA-Z_:][\w:]*)\s*(\(|\{[^}]*\})?/g)].flatMap(([, name = "", after = ""]) => {
    if (after === "(" || KEYWORDS.has(name)) return [];
    const matchers = [...after.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)];
    return [
      {
        metric: name,
        matchers: matchers.map(([, label = "", operator = "", value = ""]) => ({ label, operator, value })),
      },
    ];
  });
  return { selectors, by: aggregates ? groups.flat() : null };
}

export type Series = ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>;

/** The labels of every series in scrapes, by the metric's name. */
export function seriesIn(...scrapes: readonly string[]): Series {
  const series = new Map<string, Record<string, string>[]>();
  for (const line of scrapes.join("\n").split("\n")) {
    const [, name, labels = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value]);
    series.set(name, [...(series.get(name) ?? []), Object.fromEntries(pairs)]);
  }
  return series;
}

/** What a query asks for that nobody tells: a metric, a label, or a value of a label that no series has. */
export function unknownIn(query: Query, series: Series): string[] {
  const known = new Set(OF_PROMETHEUS);
  const unknown = query.selectors.flatMap(({ metric, matchers }) => {
    if (OWN_METRICS.has(metric)) return [];
    const told = series.get(metric);
    if (told === undefined) return [metric];
    for (const label of told.flatMap((labels) => Object.keys(labels))) known.add(label);
    return matchers
      .filter(({ label }) => !OF_PROMETHEUS.includes(label))
      .filter((matcher) => !told.some((labels) => matches(matcher, labels)))
      .map(({ label, operator, value }) => `${metric}{${label}${operator}"${value}"}`);
  });
  return [...unknown, ...(query.by ?? []).filter((label) => !known.has(label)).map((label) => `by (${label})`)];
}

/** Also of `!=`: what is left out should exist. */
function matches({ label, operator, value }: Matcher, labels: Readonly<Record<string, string>>): boolean {
  const here = labels[label];
  if (here === undefined) return false;
  return operator.includes("~") ? new RegExp(`^(?:${value})$`).test(here) : here === value;
}

/** Labels that a text names and that the query's result does not have. */
export function lostLabels(named: readonly string[], query: Query, series: Series): string[] {
  const all = query.selectors.flatMap(({ metric }) =>
    (series.get(metric) ?? []).flatMap((labels) => Object.keys(labels)),
  );
  const left: ReadonlySet<string> = new Set(query.by ?? [...OF_PROMETHEUS, ...all]);
  return named.filter((label) => !left.has(label));
}
