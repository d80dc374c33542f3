import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The port this attempt has reserved before. */
export const readPort = statement<{ attempt: string }, { port: number }>("read-port", COORDINATOR_ROLE)`
SELECT port FROM host_ports WHERE attempt = ${"attempt"} LIMIT 1
`;
