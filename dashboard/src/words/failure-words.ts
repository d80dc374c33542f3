interface FailureWords {
  readonly title: string;
  readonly text: string;
}

/** What is said where a part of the page should be: it was not got, or it is broken. */
export const failureWords = (what: "page" | "dialog", why: "missing" | "broken"): FailureWords =>
  why === "missing"
    ? {
        title: `This ${what} could not be loaded`,
        text: "The server did not answer, or CodeHub was updated after this tab was opened. Your workspaces are not affected. Load it again.",
      }
    : {
        title: `This ${what} could not be shown`,
        text: "That is a fault of CodeHub. Your workspaces are not affected. Load it again; if that does not help, tell an administrator what it says here.",
      };
