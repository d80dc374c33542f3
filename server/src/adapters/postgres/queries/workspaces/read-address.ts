import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Whose address this is, or was. */
export const readAddress = statement<{ label: string }, { workspace_id: string }>("read-address", API_ROLE)`
SELECT workspace_id FROM addresses WHERE label = ${"label"}
`;
