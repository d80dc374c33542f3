import { expect, test } from "vitest";
import { judgeKeys, type KeyFacts, type KeyVerdict } from "./judge-keys.ts";

const key = (id: string, check = `is ${id}`) => ({ id, check });
const known = (id: string, seals = false) => ({ ...key(id), seals });
const usable = (seals: string | null, rest: Partial<KeyVerdict & { kind: "usable" }> = {}): KeyVerdict => ({
  kind: "usable",
  seals,
  fresh: [],
  different: [],
  missing: [],
  ...rest,
});

test.each<[string, Partial<KeyFacts>, KeyVerdict]>([
  ["nothing anywhere", {}, usable(null)],
  ["the first start", { file: [key("a")] }, usable("a", { fresh: [key("a")] })],
  ["the next start", { file: [key("a")], known: [known("a", true)] }, usable("a")],
  [
    "a key put before it by hand seals where nobody else runs",
    { file: [key("b"), key("a")], known: [known("a", true)] },
    usable("b", { fresh: [key("b")] }),
  ],
  [
    "and waits where others do",
    { file: [key("b"), key("a")], known: [known("a", true)], othersRun: true },
    usable("a", { fresh: [key("b")] }),
  ],
  ["the key is lost: the start goes on", { known: [known("a", true)] }, usable(null, { missing: ["a"] })],
  [
    "the key is lost and another one is there",
    { file: [key("b")], known: [known("a", true)] },
    usable("b", { fresh: [key("b")], missing: ["a"] }),
  ],
  [
    "the lost one is found again",
    { file: [key("a")], known: [known("a"), known("b", true)] },
    usable("a", { missing: ["b"] }),
  ],
  [
    "another key under the same name neither seals nor opens",
    { file: [key("a", "is not a")], known: [known("a", true)] },
    usable(null, { different: ["a"], missing: ["a"] }),
  ],
  [
    "and leaves the sealing to the next of the file",
    { file: [key("a", "is not a"), key("b")], known: [known("a", true)] },
    usable("b", { fresh: [key("b")], different: ["a"], missing: ["a"] }),
  ],
  [
    "others run with a key that is not here",
    { file: [key("b")], known: [known("a", true)], othersRun: true },
    { kind: "refused", id: "a", why: "missing" },
  ],
  [
    "others run and there is no file",
    { known: [known("a", true)], othersRun: true },
    { kind: "refused", id: "a", why: "missing" },
  ],
  [
    "others run with another key of that name",
    { file: [key("a", "is not a"), key("b")], known: [known("a", true), known("b")], othersRun: true },
    { kind: "refused", id: "a", why: "different" },
  ],
  [
    "an older key is missing: others may run",
    { file: [key("a")], known: [known("old"), known("a", true)], othersRun: true },
    usable("a", { missing: ["old"] }),
  ],
])("%s", (_name, facts, verdict) => {
  expect(judgeKeys({ file: [], known: [], othersRun: false, ...facts })).toEqual(verdict);
});
