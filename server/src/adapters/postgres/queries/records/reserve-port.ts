import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/**
 * One of the few free ports of the range that are this workspace's usual ones: what a runtime keeps for a port, a network
 * that takes long to make, is then there from the last time. Which of them is left to chance, so that a port which
 * another program of the host took is not tried for ever. No row when somebody took it at the same moment or none is free.
 */
export const reservePort = statement<{ id: string; attempt: string; from: number; to: number }, { port: number }>(
  "reserve-port",
  COORDINATOR_ROLE,
)`
INSERT INTO host_ports (port, workspace_id, attempt)
SELECT usual.port, ${"id"}::uuid, ${"attempt"}
FROM (
  SELECT candidate.port
  FROM generate_series(${"from"}::integer, ${"to"}::integer) AS candidate (port)
  WHERE NOT EXISTS (SELECT FROM host_ports taken WHERE taken.port = candidate.port)
  ORDER BY hashtextextended(${"id"}::uuid::text, candidate.port) LIMIT 4
) usual
ORDER BY random() LIMIT 1
ON CONFLICT (port) DO NOTHING
RETURNING port
`;
