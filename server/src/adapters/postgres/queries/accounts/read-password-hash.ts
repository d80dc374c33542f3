import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The hash a password is compared with. */
export const readPasswordHash = statement<{ id: string }, { password_hash: string }>("read-password-hash", API_ROLE)`
SELECT password_hash FROM users WHERE id = ${"id"}
`;
