import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deletes all variables and secrets of a user, those of the workspaces among them. */
export const deleteSecretsOfUser = statement<{ userId: string }>("delete-secrets-of-user", API_ROLE)`
DELETE FROM variables WHERE user_id = ${"userId"}
`;
