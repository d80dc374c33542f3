/** How badly a text fits what was typed: 0 is best, null is not at all. Every word has to be found, in any order. */
export function misfit(typed: string, text: string): number | null {
  const hay = text.toLowerCase();
  let sum = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const misses = misfitOfWord(word, hay);
    if (misses === null) return null;
    sum += misses;
  }
  return sum;
}

const isInWord = (hay: string, at: number): boolean => /[\p{L}\p{N}]/u.test(hay.charAt(at - 1));

/** At the beginning of a word, inside one, or its letters one after the other with others in between. */
function misfitOfWord(word: string, hay: string): number | null {
  const at = hay.indexOf(word);
  if (at !== -1) {
    for (let next = at; next !== -1; next = hay.indexOf(word, next + 1)) if (!isInWord(hay, next)) return 0;
    return 1;
  }
  const spread = spreadOf(word, hay);
  // Letters that lie far apart were hardly meant.
  return spread === null || spread > 3 * word.length ? null : 2 + spread;
}

/** How many other letters lie between those of the word, where it is least; null where they are not all there. */
function spreadOf(word: string, hay: string): number | null {
  let least: number | null = null;
  for (let begin = hay.indexOf(word.charAt(0)); begin !== -1; begin = hay.indexOf(word.charAt(0), begin + 1)) {
    let end = begin;
    for (const letter of word.slice(1)) {
      end = hay.indexOf(letter, end + 1);
      if (end === -1) return least;
    }
    least = Math.min(least ?? Number.POSITIVE_INFINITY, end - begin + 1 - word.length);
  }
  return least;
}

/** What an entry of the palette begins with, and no workspace is looked for by. */
const verbs: ReadonlySet<string> = new Set(["open", "show", "start", "stop", "archive", "go", "to", "of"]);
/** Each of them is a question to the server. */
const MOST_WORDS = 3;
const SHORTEST_WORD = 2;
const LONGEST_WORD = 200;

/** The words of what was typed that may be part of a workspace's name, for a server that finds what has them in it. */
export const soughtWords = (typed: string): readonly string[] =>
  [...new Set(typed.toLowerCase().split(/\s+/))]
    .filter((word) => word.length >= SHORTEST_WORD && word.length <= LONGEST_WORD && !verbs.has(word))
    .slice(0, MOST_WORDS);

/** Those that fit best, best first; of equals the one that comes first. */
export function best<T extends { readonly label: string }>(typed: string, entries: readonly T[], most: number): T[] {
  return entries
    .flatMap((entry) => {
      const misses = misfit(typed, entry.label);
      return misses === null ? [] : [{ entry, misses }];
    })
    .sort((a, b) => a.misses - b.misses)
    .slice(0, most)
    .map(({ entry }) => entry);
}
