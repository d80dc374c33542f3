import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Gives the ports of a workspace back, but for one attempt. */
export const releasePorts = statement<{
  id: string;
  except: string | null;
}>("release-ports", COORDINATOR_ROLE)`
DELETE FROM host_ports WHERE workspace_id = ${"id"} AND attempt IS DISTINCT FROM ${"except"}::uuid
`;
