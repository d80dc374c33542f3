import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

export const listSources = statement<Record<never, never>, { source: string; flushedAt: number }>(
  "list-sources",
  API_ROLE,
)`
SELECT source, flushed_at AS "flushedAt" FROM activity_sources
`;
