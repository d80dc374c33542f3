import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** What a user keeps of one kind, without what is sealed. */
export const listCredentials = statement<
  { userId: string; kind: "ssh" | "https" },
  { id: string; host: string; username: string; publicKey: string; changedAt: number; keyId: string }
>("list-credentials", API_ROLE)`
SELECT id, host, coalesce(username, '') AS username, coalesce(public_key, '') AS "publicKey", changed_at AS "changedAt",
  key_id AS "keyId"
FROM credentials WHERE user_id = ${"userId"} AND kind = ${"kind"} ORDER BY host
`;
