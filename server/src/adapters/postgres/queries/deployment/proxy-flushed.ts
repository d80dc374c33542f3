import { API_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** This proxy is alive and has handed its activity on. */
export const proxyFlushed: Statement<{ id: string }, Record<never, never>> = statement<{ id: string }>(
  "proxy-flushed",
  API_ROLE,
)`
INSERT INTO proxies (id) VALUES (${"id"}) ON CONFLICT (id) DO UPDATE SET flushed_at = clock_timestamp()
`;
