import type { Ms } from "#core/workspace.ts";
import { API_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** When the proxy that is silent for longest last handed its activity on. */
export const oldestUnflushedProxy: Statement<{ withinMs: number }, { flushed_at: Ms | null }> = statement<
  { withinMs: number },
  { flushed_at: Ms | null }
>("oldest-unflushed-proxy", API_ROLE)`
SELECT min(flushed_at) AS flushed_at FROM proxies
WHERE flushed_at < now() - make_interval(secs => ${"withinMs"}::double precision / 1000)
  AND flushed_at > now() - interval '1 day'
`;
