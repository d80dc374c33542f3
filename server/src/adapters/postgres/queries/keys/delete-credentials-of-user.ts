import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deletes the SSH key and all credentials of a user. */
export const deleteCredentialsOfUser = statement<{ userId: string }>("delete-credentials-of-user", API_ROLE)`
DELETE FROM credentials WHERE user_id = ${"userId"}
`;
