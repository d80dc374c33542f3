import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

export const recordSource = statement<{ source: string; flushedAt: number }>("record-source", API_ROLE)`
INSERT INTO activity_sources (source, flushed_at) VALUES (${"source"}, ${"flushedAt"})
ON CONFLICT (source) DO UPDATE SET flushed_at = greatest(activity_sources.flushed_at, excluded.flushed_at)
`;
