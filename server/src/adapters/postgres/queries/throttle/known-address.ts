import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Whether this account has signed in from this address lately, by the history. */
export const knownAddress = statement<{ username: string; address: string; withinMs: number }, { known: boolean }>(
  "known-address",
  API_ROLE,
)`
SELECT EXISTS (
  SELECT FROM workspace_events e JOIN users u ON u.id = e.actor_id
  WHERE u.username = ${"username"} AND e.kind = 'login' AND e.details ->> 'address' = ${"address"}
    AND e.at > now() - make_interval(secs => ${"withinMs"}::double precision / 1000)) AS known
`;
