import type { Reason } from "#core/rows/meaning.ts";

/** What a person pasted: an address, or a whole `git clone` line around one. */
export interface CloneLine {
  readonly target: string;
  readonly branch: string | null;
  readonly folder: string | null;
}

const CLONE = /^(?:\$ +)?git +clone(?: +|$)/;
/** Options that pages tell people to type and that change nothing here: a clone is always whole, with its submodules. */
const HARMLESS = /^--(recursive|recurse-submodules|single-branch|quiet|progress|depth=[0-9]+)$|^-q$/;
const QUOTED = /^(["'`])([^"'`]*)\1$|^<([^<>]*)>$/;

function unquoted(text: string): string {
  const match = QUOTED.exec(text);
  return match === null ? text : (match[2] ?? match[3] ?? "");
}

export function readCloneLine(text: string): CloneLine | Reason {
  if (!CLONE.test(text)) return { target: unquoted(text), branch: null, folder: null };
  const words = text
    .replace(CLONE, "")
    .split(/ +/)
    .filter((word) => word !== "")
    .map(unquoted);
  const plain: string[] = [];
  let branch: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "-b" || word === "--branch") branch = words[++at] ?? "";
    else if (word.startsWith("--branch=")) branch = word.slice("--branch=".length);
    else if (word === "--depth") at++;
    else if (word.startsWith("-") && word !== "--" && !HARMLESS.test(word)) return { code: "option" };
    else if (word !== "--" && !word.startsWith("-")) plain.push(word);
  }
  const [target, folder = null, more] = plain;
  if (target === undefined) return { code: "empty" };
  return more === undefined ? { target, branch, folder } : { code: "blanks" };
}
