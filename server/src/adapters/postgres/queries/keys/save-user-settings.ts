import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Who a user is to git, and where the dotfiles are. */
export const saveUserSettings = statement<{
  userId: string;
  gitName: string | null;
  gitEmail: string | null;
  dotfilesAddress: string | null;
  dotfilesCommand: string | null;
}>("save-user-settings", API_ROLE)`
INSERT INTO user_settings (user_id, git_name, git_email, dotfiles_address, dotfiles_command)
VALUES (${"userId"}, ${"gitName"}, ${"gitEmail"}, ${"dotfilesAddress"}, ${"dotfilesCommand"})
ON CONFLICT (user_id) DO UPDATE SET git_name = excluded.git_name, git_email = excluded.git_email,
  dotfiles_address = excluded.dotfiles_address, dotfiles_command = excluded.dotfiles_command, changed_at = now()
`;
