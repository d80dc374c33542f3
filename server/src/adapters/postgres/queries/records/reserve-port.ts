import { COORDINATOR_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** Any free port of the range; no row when somebody took it at the same moment or none is free. */
export const reservePort: Statement<{ id: string; attempt: string; from: number; to: number }, { port: number }> =
  statement<{ id: string; attempt: string; from: number; to: number }, { port: number }>(
    "reserve-port",
    COORDINATOR_ROLE,
  )`
INSERT INTO host_ports (port, workspace_id, attempt)
SELECT candidate.port, ${"id"}, ${"attempt"}
FROM generate_series(${"from"}::integer, ${"to"}::integer) AS candidate (port)
WHERE NOT EXISTS (SELECT FROM host_ports taken WHERE taken.port = candidate.port)
ORDER BY random() LIMIT 1
ON CONFLICT (port) DO NOTHING
RETURNING port
`;
