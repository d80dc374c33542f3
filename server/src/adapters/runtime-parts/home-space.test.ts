import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { emptyCommand, heard, lookCommand, readEmptied, readLook } from "./home-space.ts";

const MEBIBYTE = 1024 * 1024;
const hasBusybox = spawnSync("busybox", ["sh", "-c", ":"]).status === 0;

describe.each([
  { tools: "this machine's", busybox: false },
  ...(hasBusybox ? [{ tools: "busybox's", busybox: true }] : []),
])("a look into a home, with $tools programs", ({ busybox }) => {
  let place: string;
  let home: string;
  let path: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), "ch-space-"));
    home = join(place, "home");
    mkdirSync(home);
    path = "/usr/bin:/bin";
    if (!busybox) return;
    path = join(place, "bin");
    mkdirSync(path);
    execFileSync("busybox", ["--install", "-s", path]);
  });
  afterEach(() => {
    execFileSync("chmod", ["-R", "u+rwX", place]);
    rmSync(place, { recursive: true });
  });

  /** As either runtime starts it, but for the shell, which is found at one place. */
  const say = ([, ...args]: readonly string[]): string => {
    const [program, ...first] = busybox ? ["busybox", "sh"] : ["/bin/sh"];
    return spawnSync(program ?? "", [...first, ...args], { env: { PATH: `${path}:/usr/bin:/bin` }, encoding: "utf8" })
      .stdout;
  };
  const put = (name: string | Buffer, mebibytes = 2): void => {
    const at = Buffer.concat([Buffer.from(`${home}/`), Buffer.from(name)]);
    mkdirSync(dirname(at.toString("latin1")) === home ? home : Buffer.from(dirname(at.toString("latin1")), "latin1"), {
      recursive: true,
    });
    writeFileSync(at, Buffer.alloc(mebibytes * MEBIBYTE, 1));
  };
  const look = (folders: readonly string[] = []) => readLook(say(lookCommand(home, folders)));
  const empty = (folders: readonly string[]) => readEmptied(say(emptyCommand(home, folders)));
  const names = (taken: readonly { readonly path: string }[]): string[] => taken.map((one) => one.path).sort();

  it("sees folders and files of three levels, and what the home takes, and leaves out what is small", () => {
    put("one/two/three/four/deep", 3);
    put("file", 4);
    put("small", 0);
    const { whole, taken } = look();
    expect(whole).toBe(true);
    expect(names(taken)).toEqual(["", "file", "one", "one/two", "one/two/three"]);
    for (const [name, least] of [
      ["", 7],
      ["one/two/three", 3],
      ["file", 4],
    ] as const) {
      const bytes = taken.find((one) => one.path === name)?.bytes ?? 0;
      expect(bytes).toBeGreaterThanOrEqual(least * MEBIBYTE);
      expect(bytes).toBeLessThan((least + 0.5) * MEBIBYTE);
    }
  });

  it("keeps one name one, whatever it is made of", () => {
    put(" blanks  and 'quotes' $(touch oops)\t");
    put("-rf");
    put(Buffer.from("not \xff utf-8", "latin1"));
    put("99999\t./forged");
    if (!busybox) put("two\n99999\t./lines");
    const expected = [
      " blanks  and 'quotes' $(touch oops)\t",
      "-rf",
      "99999\t./forged",
      "99999\t.",
      "not \u{FFFD} utf-8",
    ];
    const { taken } = look();
    expect(names(taken)).toEqual(
      ["", ...expected, ...(busybox ? [] : ["two\n99999\t.", "two\n99999\t./lines"])].sort(),
    );
    expect(taken.every(({ bytes }) => bytes < 12 * MEBIBYTE + 500_000)).toBe(true);
    expect(existsSync(join(home, "oops"))).toBe(false);
  });

  it("says of a cache what it takes, and nothing of one that is not there or is a link or lies behind one", () => {
    put(".cache/pip/a");
    put("elsewhere/npm/a");
    put("elsewhere/real/_cacache/a");
    mkdirSync(join(home, ".npm"));
    symlinkSync(join(home, "elsewhere/npm"), join(home, ".npm/_cacache"));
    symlinkSync(join(home, "elsewhere/real"), join(home, "link"));
    const folders = [".cache/pip", ".cache/yarn", ".npm/_cacache", "link/_cacache"];
    const { caches } = look(folders);
    expect(names(caches)).toEqual([".cache/pip"]);
    expect(caches[0]?.bytes).toBeGreaterThanOrEqual(2 * MEBIBYTE);
    const { before, after, whole } = empty(folders);
    expect([whole, (before ?? 0) >= 2 * MEBIBYTE, (after ?? MEBIBYTE) < MEBIBYTE]).toEqual([true, true, true]);
    expect(readdirSync(join(home, ".cache/pip"))).toEqual([]);
    expect(existsSync(join(home, "elsewhere/npm/a"))).toBe(true);
    expect(existsSync(join(home, "elsewhere/real/_cacache/a"))).toBe(true);
  });

  it("empties what is read-only, with hidden and odd names, and no more than was asked for", () => {
    put("go/pkg/mod/example.com/a@v1/.hidden/file");
    put("go/pkg/mod/ -rf\n*");
    put("go/pkg/other");
    symlinkSync(join(home, "go/pkg/other"), join(home, "go/pkg/mod/out"));
    for (const folder of ["example.com/a@v1/.hidden", "example.com/a@v1", "example.com", ""])
      chmodSync(join(home, "go/pkg/mod", folder), 0o555);
    expect(empty(["go/pkg/mod"]).whole).toBe(true);
    expect(readdirSync(join(home, "go/pkg/mod"))).toEqual([]);
    expect(readdirSync(join(home, "go/pkg")).sort()).toEqual(["mod", "other"]);
  });

  it("has nothing to do where nothing is", () => {
    expect(look([".cache/pip"])).toMatchObject({ whole: true, caches: [] });
    expect(empty([".cache/pip"])).toEqual({ whole: true, before: 0, after: 0 });
  });

  it("says nothing of a home that is not there", () => {
    rmSync(home, { recursive: true });
    expect(() => look()).toThrow("did not say");
    expect(() => empty([".cache/pip"])).toThrow("did not say");
  });
});

const seen = (path: string, kilobytes: number) => ({ path, bytes: kilobytes * 1_024 });

test.each([
  ["all of it", "home\0" + "8\t./.npm\0counted 0\0" + "9\t./a\0" + "12\t.\0looked 0\0", true, ["a", ""]],
  ["what may not be read left out", "home\0counted 1\0" + "9\t./a\0looked 1\0", true, ["a"]],
  ["caches that took too long", "home\0counted 137\0" + "9\t./a\0looked 0\0", false, ["a"]],
  ["a look that took too long", "home\0counted 0\0" + "9\t./a\0looked 137\0", false, ["a"]],
  ["cut off in the middle of a record", "home\0counted 0\0" + "9\t./a\0" + "12\t./b", false, ["a"]],
  ["cut off before the look", "home\0" + "8\t./.npm\0", false, []],
  ["something else", "home\0counted 0\0du: what\0-1\t./x\0" + "1e9\t./x\0" + "5\t/etc\0looked 0\0", true, []],
] as const)("what was said is read as far as it goes: %s", (_, said, whole, names) => {
  const look = readLook(said);
  expect([look.whole, look.taken.map(({ path }) => path)]).toEqual([whole, names]);
  expect(look.caches).toEqual(said.includes(".npm") ? [seen(".npm", 8)] : []);
});

test.each([
  ["before 12\ttotal\nemptied 0\nafter 4\ttotal\n", { whole: true, before: 12_288, after: 4_096 }],
  ["before 12\ttotal\nemptied 1\nafter 8\ttotal\n", { whole: false, before: 12_288, after: 8_192 }],
  ["before 12\ttotal\nemptied 137\nafter \n", { whole: false, before: 12_288, after: null }],
  ["before 3\t./.npm/_cacache\nemptied 0\nafter 4\ttotal\n", { whole: true, before: null, after: 4_096 }],
  ["before 12\ttotal\n", { whole: false, before: 12_288, after: null }],
])("what came of it is read as far as it goes: %j", (said, emptied) => {
  expect(readEmptied(said)).toEqual(emptied);
});

describe("what is heard", () => {
  const limits = { limitMs: 60_000, mostBytes: 8 };
  async function* speaking(parts: readonly string[], broken: boolean) {
    for (const part of parts) yield Buffer.from(part);
    if (broken) throw new Error("the engine went away");
  }

  it.each([
    ["all of it", ["ab", "cd"], false, "abcd"],
    ["all until it is too much", ["abcdef", "ghi", "more"], false, "abcdefghi"],
    ["all until it breaks off", ["ab"], true, "ab"],
  ])("is %s", async (_, parts, broken, expected) => {
    const stream = Readable.from(speaking(parts, broken));
    expect(await heard(stream, limits)).toBe(expected);
    expect(stream.destroyed).toBe(true);
  });

  it("is what there was until it took too long", async () => {
    const stream = new PassThrough();
    stream.write("ab");
    expect(await heard(stream, { ...limits, limitMs: 1 })).toBe("ab");
    expect(stream.destroyed).toBe(true);
  });
});
