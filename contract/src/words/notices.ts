import type { Text } from "./catalogue.ts";
import { findingText } from "./findings.ts";
import { type Fields, lookUp, say } from "./say.ts";
import { datedVoice } from "./voice.ts";

/** What an operator is told by webhook or mail. */
interface NoticeWords {
  readonly text: Text;
  readonly action: string;
}

export const notices: Readonly<Record<string, NoticeWords>> = {
  workspace_error: {
    text: ["{name} of {owner} is in ERROR: {reason:error}", "{name} of {owner} is in ERROR."],
    action: "Its page says what happened and what can be done. Nothing of it is removed meanwhile.",
  },
  workspace_stuck: {
    text: "{name} of {owner} has been on its way since {since:time}.",
    action: "Its page says what it waits for. A large home takes its time, and the page shows its progress.",
  },
  more_workspaces: {
    text: {
      one: "There is one more workspace in ERROR or on its way for too long.",
      other: "There are {count} more workspaces in ERROR or on their way for too long.",
    },
    action: "So many at once mostly have one cause: look at the engine and the archive store first.",
  },
  engine_down: {
    text: "The engine of the workspaces does not work: {said}",
    action: "Run codehub doctor or look at the admin page. Nothing starts or stops until it is back.",
  },
  store_down: {
    text: "The archive store does not work: {said}",
    action:
      "Run codehub doctor or look at the admin page. Nothing is archived and nothing archived opens until it is back.",
  },
  collection_paused: {
    text: "Nothing is removed from the archive store: {said}",
    action: "Look whether homes open as they should, then resume it on the admin page.",
  },
};

const FINDING = "finding:";

/** A concern in words; of a code that is not known, the code. */
export function noticeText({ code, fields }: { readonly code: string; readonly fields: Fields }): {
  readonly text: string;
  readonly action: string | null;
} {
  if (code.startsWith(FINDING)) {
    const { found, cure } = findingText({ code: code.slice(FINDING.length), fields });
    return { text: found, action: cure };
  }
  const words = lookUp(notices, code);
  return { text: say(words?.text, fields, datedVoice) ?? code, action: words?.action ?? null };
}
