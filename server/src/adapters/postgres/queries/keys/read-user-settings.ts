import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Who a user is to git, and where the dotfiles are. */
export const readUserSettings = statement<
  { userId: string },
  {
    gitName: string | null;
    gitEmail: string | null;
    dotfilesAddress: string | null;
    dotfilesCommand: string | null;
  }
>("read-user-settings", API_ROLE, COORDINATOR_ROLE)`
SELECT git_name AS "gitName", git_email AS "gitEmail", dotfiles_address AS "dotfilesAddress", dotfiles_command AS "dotfilesCommand"
FROM user_settings WHERE user_id = ${"userId"}
`;
