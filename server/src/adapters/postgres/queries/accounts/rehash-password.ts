import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The same password, hashed with newer parameters. */
export const rehashPassword = statement<{
  id: string;
  outdated: string;
  passwordHash: string;
}>("rehash-password", API_ROLE)`
UPDATE users SET password_hash = ${"passwordHash"} WHERE id = ${"id"} AND password_hash = ${"outdated"}
`;
