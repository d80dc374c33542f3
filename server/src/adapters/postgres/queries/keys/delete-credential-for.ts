import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deletes the credential of a kind and host. */
export const deleteCredentialFor = statement<{ userId: string; kind: "ssh" | "https"; host: string }>(
  "delete-credential-for",
  API_ROLE,
)`
DELETE FROM credentials WHERE user_id = ${"userId"} AND kind = ${"kind"} AND host = ${"host"}
`;
