import type { SourceRef } from "#core/rows/source.ts";

const LONGEST = 255;
const LONGEST_PATH = 1024;
/** What git itself refuses in a name, and everything that cannot be seen. */
const FORBIDDEN = /[\p{C}\p{Z}~^:?*[\\]|@\{|\.\.|\/\/|(^|\/)\.|\.lock(\/|$)/u;
const COMMIT = /^[0-9a-f]{4,64}$/i;
const WHOLE_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const NUMBER = /^[1-9][0-9]{0,9}$/;

/** Whether git would take this as the name of a branch or tag, and no program as an option. */
export const isRefName = (name: string): boolean =>
  name !== "" &&
  name !== "@" &&
  name.length <= LONGEST &&
  !name.startsWith("-") &&
  !/^\/|[/.]$/.test(name) &&
  !FORBIDDEN.test(name);

/** A name that somebody typed: all digits of a commit, or a branch or tag. */
export function namedRef(name: string): SourceRef | null {
  if (WHOLE_COMMIT.test(name)) return { kind: "commit", id: name.toLowerCase() };
  return isRefName(name) ? { kind: "branch_or_tag", name } : null;
}

export const commitRef = (id: string): SourceRef | null =>
  COMMIT.test(id) ? { kind: "commit", id: id.toLowerCase() } : null;

export const isNumber = (text: string | undefined): text is string => text !== undefined && NUMBER.test(text);
export const isCommit = (text: string | undefined): text is string => text !== undefined && COMMIT.test(text);

/** What follows `/tree/` in a link: where the branch ends and the folder begins, only the repository knows. */
export function pathRef(parts: readonly string[]): SourceRef | null {
  const path = parts.join("/");
  const [first = ""] = parts;
  if (parts.length === 1 && !COMMIT.test(first)) return namedRef(first);
  if (parts.length === 1 && WHOLE_COMMIT.test(first)) return { kind: "commit", id: first.toLowerCase() };
  const steps = path.split("/").some((step) => step === "" || step === "." || step === "..");
  if (steps || path.startsWith("-") || path.length > LONGEST_PATH || /\p{C}/u.test(path)) return null;
  return { kind: "path", path };
}
