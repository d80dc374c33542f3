import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Keeps a credential; one of the same kind and host was deleted before. */
export const insertCredential = statement<
  {
    id: string;
    userId: string;
    kind: "ssh" | "https";
    host: string;
    username: string | null;
    publicKey: string | null;
    wrapped: Uint8Array;
    box: Uint8Array;
    keyId: string;
  },
  { changedAt: number }
>("insert-credential", API_ROLE)`
INSERT INTO credentials (id, user_id, kind, host, username, public_key, wrapped, box, key_id)
VALUES (${"id"}, ${"userId"}, ${"kind"}, ${"host"}, ${"username"}, ${"publicKey"}, ${"wrapped"}, ${"box"}, ${"keyId"})
RETURNING changed_at AS "changedAt"
`;
