import { cacheIds } from "@codehub/contract";
import { expect, test } from "vitest";
import { emptyWords, freedWords } from "./space-words.ts";

test.each(cacheIds)(
  "before the cache %s is emptied it is said what goes, how much, and that it comes back",
  (cache) => {
    const { title, text } = emptyWords(cache, 5_200_000);
    expect(title).toMatch(/^Empty the cache of \S.*\?$/);
    expect(text).toMatch(
      /^(Packages|Modules|Crates|What) .*\. The next (install|build) (fetches|compiles) .*5\.2 MB are deleted/,
    );
  },
);

test.each([
  [{ whole: true, freed_bytes: 5_200_000 }, /^5\.2 MB freed\. The cache of npm is empty\.$/],
  [{ whole: true, freed_bytes: null }, /^The cache of npm is empty\.$/],
  [{ whole: true, freed_bytes: 0 }, /^0 B freed\. /],
  [{ whole: false, freed_bytes: 5_200_000 }, /^5\.2 MB freed\. Something is left .*Empty it again/],
  [{ whole: false, freed_bytes: null }, /^Something is left/],
])("what came of it is said: %j", (emptied, words) => {
  expect(freedWords("npm", emptied)).toMatch(words);
});
