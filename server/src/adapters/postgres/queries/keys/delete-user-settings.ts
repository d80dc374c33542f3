import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deletes a user's name and e-mail for git, and their dotfiles. */
export const deleteUserSettings = statement<{ userId: string }>("delete-user-settings", API_ROLE)`
DELETE FROM user_settings WHERE user_id = ${"userId"}
`;
