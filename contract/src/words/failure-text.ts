import { catalogue } from "./catalogue.ts";
import { type Fields, say, textOf } from "./say.ts";
import type { Voice } from "./voice.ts";

/** A sentence of ours, then what a program or another system said about it, as it said it. */
export function withDetail(sentence: string | null, detail: string): string {
  if (sentence === null || sentence === "") return detail;
  if (detail === "" || detail === sentence) return sentence;
  return detail.includes("\n") || sentence.endsWith(":") ? `${sentence}\n${detail}` : `${sentence} ${detail}`;
}

/** What went wrong: `fields.failure` names the sentence. Without one, what was written down is shown as it is. */
export const failureText = (fields: Fields, detail: string, voice: Voice): string =>
  withDetail(say(textOf(catalogue.failures, String(fields["failure"])), fields, voice), detail);
