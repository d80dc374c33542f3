import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The SSH key and the credentials of a user, sealed. */
export const readOwnerCredentials = statement<
  { userId: string },
  {
    id: string;
    kind: "ssh" | "https";
    host: string;
    username: string | null;
    publicKey: string | null;
    keyId: string;
    wrapped: Uint8Array;
    box: Uint8Array;
  }
>("read-owner-credentials", COORDINATOR_ROLE)`
SELECT id, kind, host, username, public_key AS "publicKey", key_id AS "keyId", wrapped, box
FROM credentials WHERE user_id = ${"userId"} ORDER BY kind, host
`;
