/** From where each page of a list was come to, by where it begins: servers that give cursors page forwards only. */
export type Way = Readonly<Record<string, string>>;

/** Nobody reads that many pages; the oldest are let go. */
const LONGEST = 200;

/** What a tab kept, maybe by another version. */
export function wayOf(found: unknown): Way {
  const entries = typeof found === "object" && found !== null ? Object.entries(found) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

export function stepped(way: Way, from: string, to: string): Way {
  const { [to]: _replaced, ...others } = way;
  return Object.fromEntries([...Object.entries(others), [to, from]].slice(-LONGEST));
}

/** Null where nobody came to this page from another, as with a link to it. */
export const before = (way: Way, page: string): string | null => way[page] ?? null;
