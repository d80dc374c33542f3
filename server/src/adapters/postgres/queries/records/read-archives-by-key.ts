import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type ArchiveRow, archiveColumns } from "#adapters/postgres/rows/archive-row.ts";
import { type Statement, statement } from "#adapters/postgres/statement.ts";

/** Archives on record among the keys that the store listed. */
export const readArchivesByKey: Statement<{ keys: readonly string[] }, ArchiveRow> = statement<
  { keys: readonly string[] },
  ArchiveRow
>("read-archives-by-key", COORDINATOR_ROLE)`
SELECT ${archiveColumns} FROM archives a WHERE a.key = ANY (${"keys"}::text[])
`;
