import { expect, test } from "vitest";
import { dropKept, readKept, type Shelf, writeKept } from "./kept.ts";

function shelf(): Shelf & { readonly keys: () => string[] } {
  const entries = new Map<string, string>();
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
    key: (index) => [...entries.keys()][index] ?? null,
    get length() {
      return entries.size;
    },
    keys: () => [...entries.keys()],
  };
}

test("what was typed is found again by the same person in the same form, until it is saved", () => {
  const it = shelf();
  writeKept(it, "mina", "settings a", { memo: "half a sentence" });
  expect(readKept(it, "mina", "settings a")).toEqual({ memo: "half a sentence" });
  expect(readKept(it, "mina", "settings b")).toBeNull();
  expect(readKept(it, "jun", "settings a")).toBeNull();
  writeKept(it, "mina", "settings a", {});
  expect(it.keys()).toEqual([]);
});

test("what cannot be read is nothing", () => {
  const it = shelf();
  writeKept(it, "mina", "new", { name: "lab" });
  const [key = ""] = it.keys();
  it.setItem(key, "{half");
  expect(readKept(it, "mina", "new")).toBeNull();
});

test.each([
  ["another person finds only their own", "jun", ["codehub.kept.jun.new", "theme"]],
  ["whose id begins alike is another person, too", "mi", ["theme"]],
  ["nobody leaves nothing, and what is not typed stays", null, ["theme"]],
])("%s", (_, who, left) => {
  const it = shelf();
  for (const one of ["mina", "jun"]) writeKept(it, one, "new", { name: "lab" });
  writeKept(it, "mina", "settings a", { memo: "x" });
  it.setItem("theme", "dark");
  dropKept(it, who);
  expect(it.keys()).toEqual(left);
});
