import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Params = {
  codeHash: Uint8Array;
  stateHash: Uint8Array;
  sessionId: string;
  userId: string;
  workspaceId: string;
  port: number | null;
  host: string;
  lifetimeMs: number;
};

/** A one-time code, if the dashboard session it comes from is alive and no new password is due. */
export const issueHandover = statement<Params, Record<never, never>>("issue-handover", API_ROLE)`
INSERT INTO handover_codes (code_hash, state_hash, session_id, user_id, workspace_id, port, host, expires_at)
SELECT ${"codeHash"}, ${"stateHash"}, s.id, s.user_id, ${"workspaceId"}, ${"port"}::integer, ${"host"},
  clock_timestamp() + make_interval(secs => ${"lifetimeMs"}::double precision / 1000)
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.id = ${"sessionId"} AND s.user_id = ${"userId"} AND s.kind = 'dashboard' AND s.expires_at > clock_timestamp()
  AND u.disabled_at IS NULL AND NOT u.must_change_password
`;
