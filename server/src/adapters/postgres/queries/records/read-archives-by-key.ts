import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type ArchiveRow, archiveColumns } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Archives on record among the keys that the store listed. */
export const readArchivesByKey = statement<{ keys: readonly string[] }, ArchiveRow>(
  "read-archives-by-key",
  COORDINATOR_ROLE,
)`
SELECT ${archiveColumns} FROM archives a WHERE a.key = ANY (${"keys"}::text[])
`;
