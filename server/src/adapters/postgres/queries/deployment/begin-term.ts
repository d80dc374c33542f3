import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** This epoch may act: whoever led before cannot any more. No row: there is a newer leader. */
export const beginTerm = statement<{ epoch: number }>("begin-term", COORDINATOR_ROLE)`
UPDATE leader SET begun_epoch = epoch WHERE epoch = ${"epoch"}
`;
