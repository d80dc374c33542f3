import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Row = {
  state_hash: Buffer;
  session_id: string;
  user_id: string;
  workspace_id: string;
  port: number | null;
  host: string;
  fresh: boolean;
};

/** Uses a code up. Whoever gets the row is the only one who ever does. */
export const useHandover = statement<{ codeHash: Uint8Array }, Row>("use-handover", API_ROLE)`
DELETE FROM handover_codes WHERE code_hash = ${"codeHash"}
RETURNING state_hash, session_id, user_id, workspace_id, port, host, expires_at > clock_timestamp() AS fresh
`;
