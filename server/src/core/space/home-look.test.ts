import { describe, expect, test } from "vitest";
import { CACHE_FOLDERS, CACHES, foldersOf } from "./caches.ts";
import { cachesIn, freedBytes, type HomeLook, homeBytesOf, largestOf, shownPath, WORTH_BYTES } from "./home-look.ts";

const MB = 1_000_000;
const look = (over: Partial<HomeLook>): HomeLook => ({ whole: true, caches: [], taken: [], ...over });
const taken = (...entries: readonly (readonly [string, number])[]) =>
  entries.map(([path, megabytes]) => ({ path, bytes: megabytes * MB }));

describe("the largest of a home", () => {
  test.each([
    ["nothing", [], []],
    ["the home itself, which is all of it", [["", 900]], []],
    [
      "the largest first, those of one size by name",
      [
        ["b", 5],
        ["a", 5],
        ["c", 9],
        ["", 19],
      ],
      ["c", "a", "b"],
    ],
    [
      "what is nearly all of a folder in place of the folder",
      [
        ["", 100],
        ["p", 98],
        ["p/app", 95],
        ["p/app/node_modules", 91],
        ["p/app/dist", 3],
      ],
      ["p/app/node_modules", "p/app/dist"],
    ],
    [
      "a folder of several, and its parts",
      [
        ["", 100],
        ["p", 90],
        ["p/a", 50],
        ["p/b", 40],
      ],
      ["p", "p/a", "p/b"],
    ],
    [
      "a name that begins like another",
      [
        ["a", 10],
        ["a b", 9.9],
        ["a/b", 1],
      ],
      ["a", "a b", "a/b"],
    ],
  ] as const)("%s", (_, entries, paths) => {
    expect(largestOf(look({ taken: taken(...entries) })).map(({ path }) => path)).toEqual(paths);
  });

  test("are fifteen at most", () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ path: `f${index}`, bytes: index }));
    const shown = largestOf(look({ taken: many }));
    expect([shown.length, shown[0]?.path, shown.at(-1)?.path]).toEqual([15, "f39", "f25"]);
  });
});

test("what a home takes is known only where all of it was seen, or enough to be told", () => {
  expect(homeBytesOf(look({ taken: taken(["a", 1], ["", 7]) }))).toBe(7 * MB);
  expect(homeBytesOf(look({ taken: taken(["a", 1]) }))).toBeNull();
});

test("caches are put together from their folders, without those that are not worth it", () => {
  const caches = [
    { path: ".npm/_cacache", bytes: WORTH_BYTES },
    { path: ".cache/pip", bytes: WORTH_BYTES - 1 },
    { path: ".cargo/registry/src", bytes: 3 * WORTH_BYTES },
    { path: ".cargo/git/checkouts", bytes: 2 * WORTH_BYTES },
    { path: "somebody's", bytes: 9 * WORTH_BYTES },
  ];
  expect(cachesIn(look({ caches }))).toEqual([
    { id: "cargo", folders: [".cargo/registry/src", ".cargo/git/checkouts"], bytes: 5 * WORTH_BYTES },
    { id: "npm", folders: [".npm/_cacache"], bytes: WORTH_BYTES },
  ]);
});

test("the table of caches has each folder once, plainly named, below the home and in no other one", () => {
  expect(new Set(CACHE_FOLDERS).size).toBe(CACHE_FOLDERS.length);
  for (const folder of CACHE_FOLDERS) {
    expect(folder).toMatch(/^[a-z.][a-z-]*(\/[a-z_][a-z_-]*)+$/);
    expect(CACHE_FOLDERS.filter((other) => other.startsWith(`${folder}/`))).toEqual([]);
  }
  for (const { id, folders } of CACHES) expect(foldersOf(id)).toEqual(folders);
});

test.each([
  ["projects/größe 图", "projects/größe 图"],
  ["two\nlines\t\x1b[31m", "two\u{FFFD}lines\u{FFFD}\u{FFFD}[31m"],
  ["txt.\u202Egnp", "txt.\u{FFFD}gnp"],
  ["a\u2028b\u200Bc", "a\u{FFFD}b\u{FFFD}c"],
  ["not \u{FFFD} utf-8", "not \u{FFFD} utf-8"],
])("the name %j is shown as %j", (path, shown) => {
  expect(shownPath(path)).toBe(shown);
});

test.each([
  [{ before: 9, after: 2 }, 7],
  [{ before: 2, after: 9 }, 0],
  [{ before: null, after: 2 }, null],
  [{ before: 9, after: null }, null],
])("of %j were freed %j", (sizes, freed) => {
  expect(freedBytes({ whole: true, ...sizes })).toBe(freed);
});
