import { gitFailure } from "#core/repository/git-words.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { CheckedKind } from "./check.ts";

/** What a host did with who came to it. */
export interface HostAnswer {
  readonly branch: string | null;
  readonly asked: boolean;
  readonly failure: { readonly exitCode: number | null; readonly said: string } | null;
}

/** The codes that mean that it works; all others say why it does not, or that nobody knows. */
export const WORKS = "works";

/** As for a clone that failed; what worked says how far that can be believed. */
export function checkOutcome(
  { kind, host }: { readonly kind: CheckedKind; readonly host: string },
  answer: HostAnswer,
): Reason {
  const { branch, asked, failure } = answer;
  if (failure !== null) {
    const lines = failure.said.split("\n");
    const { code, fields } = gitFailure({
      step: "resolve",
      exitCode: failure.exitCode,
      lines,
      host,
      wanted: null,
      names: [],
    });
    return { code, fields };
  }
  // Nobody has looked at it: a wrong one would have got as far.
  if (kind === "https" && !asked) return { code: "not_asked", fields: { host } };
  return { code: WORKS, fields: { host, ...(branch === null ? {} : { branch: visible(branch) }) } };
}

const visible = (text: string): string => text.replaceAll(/\p{C}/gu, " ").trim().slice(0, 200);
