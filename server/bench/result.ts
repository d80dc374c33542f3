/** What a bench found: figures with their unit in the name, and ratios of ours over a peer in the same run; above 1 is better. */
export interface BenchResult {
  readonly metrics: Readonly<Record<string, number>>;
  readonly ratios: Readonly<Record<string, number>>;
}

/** What we hold ourselves to. A time or a size is at most so much, a ratio at least. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** By bench and figure. What is not here is measured to be known. */
const GOALS: Readonly<Record<string, Readonly<Record<string, Goal>>>> = {
  archive: {
    archive_tar: { atLeast: 0.8 },
    restore_tar: { atLeast: 0.8 },
    archive_tar_docker: { atLeast: 0.8 },
    restore_tar_docker: { atLeast: 0.8 },
  },
  "archive-kubernetes": { archive_tar_kubernetes: { atLeast: 0.7 }, restore_tar_kubernetes: { atLeast: 0.7 } },
  fleet: {
    changes_not_done: { atMost: 0 },
    restart_not_done: { atMost: 0 },
    outage_not_done: { atMost: 0 },
    outage_terms_lost: { atMost: 0 },
  },
  "list-page": { rows_p95_ms: { atMost: 500 } },
  list: { list_kb: { atMost: 60 }, list_bare: { atLeast: 0.5 } },
  memory: {
    at_rest_mb: { atMost: 150 },
    in_use_mb: { atMost: 190 },
    worked_mb: { atMost: 190 },
    rested_mb: { atMost: 150 },
    proxy_mb: { atMost: 60 },
  },
  open: { warm: { atLeast: 1.3 }, cold: { atLeast: 1.5 } },
  proxy: {
    http_nginx: { atLeast: 0.6 },
    http_chp: { atLeast: 3 },
    ws_nginx: { atLeast: 1.5 },
    ws_nginx_docker: { atLeast: 1.5 },
    http_docker_process: { atLeast: 0.9 },
  },
  recovery: {
    api_to_ide_s: { atMost: 1.5 },
    api_back_s: { atMost: 1 },
    requests_failed: { atMost: 0 },
    websockets_cut: { atMost: 0 },
  },
  start: { overhead_ms_p50_kubernetes: { atMost: 100 } },
  storm: {
    raw_engine: { atLeast: 0.83 },
    readyz_quiet: { atLeast: 0.2 },
    list_quiet: { atLeast: 0.2 },
    ide_quiet: { atLeast: 0.2 },
  },
};

/** One figure of a bench, as a line of the table shows it. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly goal: Goal | null;
  /** Null where there is no goal. A figure that is no number meets none. */
  readonly met: boolean | null;
}

export function rowsOf(bench: string, { metrics, ratios }: BenchResult): Row[] {
  return Object.entries({ ...metrics, ...ratios }).map(([name, value]) => {
    const goal = GOALS[bench]?.[name] ?? null;
    return { name, value, goal, met: goal === null ? null : meets(value, goal) };
  });
}

const meets = (value: number, goal: Goal): boolean => ("atMost" in goal ? value <= goal.atMost : value >= goal.atLeast);
