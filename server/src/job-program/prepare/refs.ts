import type { WantedRef } from "../prepare-protocol.ts";

/** What the other side has, by name. */
export interface RemoteRefs {
  readonly heads: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
}

/** What to check out, once it is known what there is. */
export type Target =
  | { readonly kind: "default" }
  | { readonly kind: "named"; readonly name: string; readonly subfolder: string | null }
  | { readonly kind: "commit"; readonly id: string; readonly subfolder: string | null }
  | { readonly kind: "pull"; readonly ref: string; readonly branch: string }
  | { readonly kind: "missing"; readonly name: string; readonly near: readonly string[] };

/** From the output of `git ls-remote`. */
export function parseRefs(output: string): RemoteRefs {
  const names = output.split("\n").map((line) => line.slice(line.indexOf("\t") + 1));
  const below = (prefix: string): Set<string> =>
    new Set(
      names.filter((name) => name.startsWith(prefix) && !name.endsWith("^{}")).map((name) => name.slice(prefix.length)),
    );
  return { heads: below("refs/heads/"), tags: below("refs/tags/") };
}

const COMMIT = /^[0-9a-f]{7,64}$/i;

/** Only of these it has to be known what there is. */
export const needsRefs = (ref: WantedRef | null): boolean => ref?.kind === "branch_or_tag" || ref?.kind === "path";

export function chooseTarget(ref: WantedRef | null, refs: RemoteRefs): Target {
  if (ref === null) return { kind: "default" };
  if (ref.kind === "pull") return ref;
  if (ref.kind === "commit") return { kind: "commit", id: ref.id, subfolder: null };
  const has = (name: string): boolean => refs.heads.has(name) || refs.tags.has(name);
  if (ref.kind === "branch_or_tag") {
    if (has(ref.name)) return { kind: "named", name: ref.name, subfolder: null };
    return COMMIT.test(ref.name) ? { kind: "commit", id: ref.name, subfolder: null } : missing(ref.name, refs);
  }
  const parts = ref.path.split("/").filter((part) => part !== "");
  const rest = (from: number): string | null => parts.slice(from).join("/") || null;
  for (let count = parts.length; count > 0; count--) {
    const name = parts.slice(0, count).join("/");
    if (has(name)) return { kind: "named", name, subfolder: rest(count) };
  }
  const [first = ""] = parts;
  if (COMMIT.test(first)) return { kind: "commit", id: first, subfolder: rest(1) };
  return missing(parts.join("/"), refs);
}

const missing = (name: string, { heads, tags }: RemoteRefs): Target => ({
  kind: "missing",
  name,
  near: nearNames(name, [...heads, ...tags]),
});

const NEAR_COUNT = 5;
const LONGEST = 80;

/** Names that somebody may have meant, the likeliest first. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const lower = wanted.toLowerCase().slice(0, LONGEST);
  const scored = [...new Set(names)].map((name) => ({ name, score: unlikeness(lower, name.toLowerCase()) }));
  return scored
    .filter(({ score }) => score <= Math.max(2, Math.ceil(lower.length / 3)))
    .toSorted((one, other) => one.score - other.score || one.name.localeCompare(other.name))
    .slice(0, NEAR_COUNT)
    .map(({ name }) => name);
}

/** How many letters differ; a name that is a whole part of the other differs by one. */
function unlikeness(wanted: string, name: string): number {
  const partOf = (part: string, whole: string): boolean =>
    part.length > 2 && (whole.startsWith(part) || whole.split("/").includes(part) || whole.endsWith(part));
  if (wanted === name) return 0;
  if (partOf(wanted, name) || partOf(name, wanted)) return 1;
  if (Math.abs(wanted.length - name.length) > LONGEST / 2) return Number.POSITIVE_INFINITY;
  return editDistance(wanted, name.slice(0, LONGEST));
}

function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const swap = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
