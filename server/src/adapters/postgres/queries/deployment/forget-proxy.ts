import { API_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** A proxy that ended in good order; and those that ended otherwise long ago. */
export const forgetProxy: Statement<{ id: string }, Record<never, never>> = statement<{ id: string }>(
  "forget-proxy",
  API_ROLE,
)`
DELETE FROM proxies WHERE id = ${"id"} OR flushed_at < now() - interval '1 day'
`;
