import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** A name is what is left. The hash is one that no password has, in a form that a release can read which does not know of deleted users. */
export const deleteAccount = statement<{ id: string }>("delete-account", API_ROLE)`
UPDATE users SET deleted_at = clock_timestamp(), disabled_at = coalesce(disabled_at, clock_timestamp()),
  password_hash = '$argon2id$v=19$m=19456,t=2,p=1$' || repeat('A', 22) || '$' || repeat('A', 22), max_running = NULL
WHERE id = ${"id"}
`;
