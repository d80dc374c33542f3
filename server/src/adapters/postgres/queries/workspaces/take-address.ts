import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Nothing happens where the label is, or ever was, taken. */
export const takeAddress = statement<{ label: string; workspaceId: string }, Record<never, never>>(
  "take-address",
  API_ROLE,
)`
INSERT INTO addresses (label, workspace_id) VALUES (${"label"}, ${"workspaceId"}) ON CONFLICT (label) DO NOTHING
`;
