import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** One that records meanwhile has a newer time and stays. */
export const forgetSilentSources = statement<{ before: number }>("forget-silent-sources", API_ROLE)`
DELETE FROM activity_sources WHERE flushed_at < ${"before"}
`;
