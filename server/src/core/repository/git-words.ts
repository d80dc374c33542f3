import type { Fields, Reason } from "#core/rows/meaning.ts";
import { nearNames } from "./near-names.ts";

/** One command of a clone that did not end well, and what it was about. */
export interface GitEnding {
  readonly step: "resolve" | "clone" | "checkout" | "submodules" | "lfs" | "dotfiles";
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  /** What git and ssh wrote to standard error. A server's own words are among them, so they decide nothing but the display. */
  readonly lines: readonly string[];
  readonly host: string;
  /** The branch, tag, commit or published ref that was asked for. */
  readonly wanted: string | null;
  /** Branches and tags that are there, as far as they are known. */
  readonly names: readonly string[];
}

export interface GitFailure extends Reason {
  readonly fields: Fields;
  /** It may go away by itself: worth another try before a person is told. */
  readonly isPassing: boolean;
  /** The project is there all the same: a notice, and nothing to try again. */
  readonly isNotice: boolean;
}

interface Meaning {
  readonly code: string;
  readonly said: RegExp;
  readonly isPassing?: true;
  readonly fields?: (match: RegExpExecArray, ending: GitEnding) => Fields;
}

const host = (_: RegExpExecArray, ending: GitEnding): Fields => ({ host: ending.host });

/** The first that matches holds, so what says more stands before what says less. */
const MEANINGS: readonly Meaning[] = [
  { code: "disk_full", said: /no space left on device|disk quota exceeded|file too large/i },
  {
    code: "host_key_changed",
    said: /remote host identification has changed|host key for .* has changed/i,
    fields: (_, ending) => ({ host: ending.host, ...fingerprint(ending.lines) }),
  },
  {
    code: "host_key_unknown",
    said: /no .* host key is known for|host key verification failed/i,
    fields: (_, ending) => ({ host: ending.host, ...fingerprint(ending.lines) }),
  },
  { code: "no_user_name", said: /no user exists for uid|you don't exist, go away/i },
  { code: "key_unknown", said: /permission denied \(.*publickey.*\)|too many authentication failures/i, fields: host },
  { code: "needs_sign_in", said: /could not read (username|password)|terminal prompts disabled/i, fields: host },
  { code: "credential_refused", said: /^fatal: authentication failed for|http basic: access denied/i, fields: host },
  { code: "forbidden", said: /returned error: 403/i, fields: host },
  {
    code: "no_such_ref",
    said: /remote branch (.+) not found|couldn't find remote ref (.+)|not our ref ([0-9a-f]+)|pathspec '(.*)' did not match|unadvertised object ([0-9a-f]+)|reference is not a tree: (.+)|bad object (.+)/i,
    fields: missingRef,
  },
  {
    code: "certificate",
    said: /certificate (problem|verification failed|has expired)|gnutls_handshake|ssl_error|issuer certificate|ssl: no alternative/i,
    fields: host,
  },
  {
    code: "unreachable",
    said: /could not resolve (host|proxy)|failed to connect|couldn't connect|connection (refused|timed out|reset|closed by)|operation timed out|no route to host|network is unreachable|name resolution|operation too slow|proxy connect aborted|connect tunnel failed/i,
    isPassing: true,
    fields: host,
  },
  { code: "transport", said: /transport '([^']*)' not allowed/i, fields: ([, name = ""]) => ({ protocol: name }) },
  {
    code: "not_found",
    said: /repository '.*' not found|does not appear to be a git repository|repository not found|project you were looking for could not be found|returned error: (404|410)/i,
    fields: host,
  },
  {
    code: "server_error",
    said: /returned error: (429|5[0-9]{2})|http (5[0-9]{2}) curl/i,
    isPassing: true,
    fields: ([, status = "", other = ""], ending) => ({ host: ending.host, status: Number(status || other) }),
  },
  {
    code: "broken_off",
    said: /early eof|rpc failed|unexpected disconnect|hung up unexpectedly|transfer closed|invalid index-pack/i,
    isPassing: true,
    fields: host,
  },
];

/** What went wrong, from what git and ssh said. */
export function gitFailure(ending: GitEnding): GitFailure {
  const found = MEANINGS.flatMap((meaning) => {
    const match = ending.lines.map((line) => meaning.said.exec(line.trim())).find((each) => each !== null);
    return match === undefined || match === null ? [] : [{ meaning, match }];
  })[0];
  const code = found?.meaning.code ?? "git_failed";
  const notice = noticeOf(ending, code);
  if (notice !== null) return { ...notice, isPassing: false, isNotice: true };
  if (found === undefined) return { code, fields: lastWords(ending), isPassing: false, isNotice: false };
  const fields = found.meaning.fields?.(found.match, ending) ?? {};
  return { code, fields, isPassing: found.meaning.isPassing === true, isNotice: false };
}

/** Steps after the clone: what they lack, the project can be opened without. A full disk is none of these. */
function noticeOf(ending: GitEnding, code: string): { readonly code: string; readonly fields: Fields } | null {
  const { step, lines, exitCode } = ending;
  if (code === "disk_full") return null;
  if (step === "lfs") {
    const isMissing =
      exitCode === 127 || lines.some((line) => /'lfs' is not a git command|git-lfs.*not found/.test(line));
    return { code: isMissing ? "lfs_missing" : "lfs_failed", fields: lastWords(ending) };
  }
  if (step === "dotfiles") return { code: "dotfiles_failed", fields: lastWords(ending) };
  if (step === "submodules") {
    const path = lines.map((line) => /^Failed to clone '(.*)'/.exec(line)?.[1]).find((each) => each !== undefined);
    return { code: "submodule_failed", fields: { ...lastWords(ending), path: visible(path ?? "") } };
  }
  return step === "checkout" && code !== "no_such_ref" ? { code: "checkout_failed", fields: lastWords(ending) } : null;
}

function missingRef(match: RegExpExecArray, ending: GitEnding): Fields {
  const said = match.slice(1).find((part) => part !== undefined) ?? "";
  const name = visible(ending.wanted ?? said.replace(/ in upstream .*$/, ""));
  return { name, near: nearNames(name, ending.names).join(", ") };
}

function fingerprint(lines: readonly string[]): Fields {
  const found = lines
    .map((line) => /\b(SHA256:[A-Za-z0-9+/]{20,60})/.exec(line)?.[1])
    .find((each) => each !== undefined);
  return found === undefined ? {} : { fingerprint: found };
}

const visible = (text: string): string => text.replaceAll(/\p{C}/gu, " ").trim().slice(0, 300);

/** The last line that sounds like a reason, without the words that every line begins with. */
function lastWords({ lines, exitCode }: GitEnding): Fields {
  const spoken = lines.map(visible).filter((line) => line !== "");
  const said = spoken.findLast((line) => /^(fatal|error|batch response): /i.test(line)) ?? spoken.at(-1) ?? "";
  return { said: said.replace(/^(fatal|error): /i, ""), exit_code: exitCode };
}
