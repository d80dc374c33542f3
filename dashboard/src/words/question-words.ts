import { exact } from "../format/format.ts";

/** What is asked before something is done that one click should not do. */
export interface QuestionWords {
  readonly title: string;
  readonly text: string;
  readonly button: string;
}

export const disableWords = (username: string): QuestionWords => ({
  title: `Disable ${username}?`,
  text:
    `${username} is signed out everywhere, their tokens end, and what runs of theirs goes to standby. Their SSH key, credentials, ` +
    "variables and secrets are deleted for good; workspaces and homes stay. Enabling the account again brings no key back.",
  button: "Disable",
});

export const resetWords = (username: string): QuestionWords => ({
  title: `Reset the password of ${username}?`,
  text:
    `The password of now stops working, ${username} is signed out everywhere, and their tokens end. A new password is shown here ` +
    "once; they have to choose their own with it.",
  button: "Reset password",
});

export const restoreWords = (
  name: string,
  archive: { readonly created_at: string },
  empty: boolean,
): QuestionWords => ({
  title: `Make this the home of “${name}”?`,
  text:
    `The home will be as it was archived ${exact(new Date(archive.created_at).getTime())}. ` +
    (empty
      ? "The workspace has no home now."
      : "Whatever was changed after that is not in it. The archive that is the home now stays in the list as an older version."),
  button: "Make it the home",
});
