import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The record of an archive goes with its object. */
export const deleteRemovedArchives = statement<{
  keys: readonly string[];
}>("delete-removed-archives", COORDINATOR_ROLE)`
DELETE FROM archives WHERE key = ANY (${"keys"}::text[]) AND state = 'orphan'
`;
