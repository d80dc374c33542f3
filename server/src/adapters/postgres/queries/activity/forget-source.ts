import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

export const forgetSource = statement<{ source: string }>("forget-source", API_ROLE)`
DELETE FROM activity_sources WHERE source = ${"source"}
`;
