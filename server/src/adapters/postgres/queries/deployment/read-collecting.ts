import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { KeptCount } from "#core/rules/gc.ts";

interface Collecting {
  readonly quarantine: string | null;
  readonly last_run_at: Ms | null;
  readonly listed: number;
  readonly kept: readonly KeptCount[];
  readonly ageing: number;
  readonly aged: number;
  readonly removed_since_run: number;
  readonly removed_24h: number;
}

/** What garbage collection is doing. */
export const readCollecting = statement<{ ageMs: number }, Collecting>("read-collecting", API_ROLE)`
SELECT gc_quarantine_reason AS quarantine, gc_last_run_at AS last_run_at, gc_listed AS listed, gc_kept AS kept,
  marks.ageing, marks.aged, removals.since_run AS removed_since_run, removals.last_day AS removed_24h
FROM deployment,
  LATERAL (SELECT count(*) FILTER (WHERE marked_at > limits.aged_before) AS ageing,
      count(*) FILTER (WHERE marked_at <= limits.aged_before) AS aged
    FROM gc_marks, (SELECT now() - make_interval(secs => ${"ageMs"}::float8 / 1000) AS aged_before) AS limits) AS marks,
  LATERAL (SELECT coalesce(sum(removed) FILTER (WHERE at >= gc_last_run_at), 0)::bigint AS since_run,
      coalesce(sum(removed) FILTER (WHERE at > now() - interval '24 hours'), 0)::bigint AS last_day
    FROM gc_removals) AS removals
`;
