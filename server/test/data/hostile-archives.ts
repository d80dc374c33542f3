import { type RawEntry, tarOf } from "./tar-writer.ts";

const ROOT: RawEntry = { name: "./", type: "5", mode: 0o755 };
const folder = (name: string): RawEntry => ({ name: `./${name}/`, type: "5", mode: 0o755 });
const file = (name: string | Buffer, text = "owned"): RawEntry => ({ name, content: Buffer.from(text) });
const symlink = (name: string, link: string): RawEntry => ({ name, type: "2", link });
const hardlink = (name: string, link: string): RawEntry => ({ name, type: "1", link });

/** Archives that must be refused, by what they try. `victim` is a file outside the volume that some of them aim at. */
export function hostileArchives(victim: string): Map<string, Buffer> {
  const up = `./${"../".repeat(40)}${victim.slice(1)}`;
  const dir = victim.slice(0, victim.lastIndexOf("/"));
  const cases: Record<string, readonly RawEntry[]> = {
    "a path upwards": [ROOT, file(up.slice(0, 99))],
    "a path upwards in an extended header": [ROOT, { ...file("./x"), pax: [["path", up]] }],
    "a path down and up": [ROOT, folder("a"), file("./a/../../x")],
    "an absolute path": [ROOT, { ...file("./x"), pax: [["path", victim]] }],
    "a path without a beginning": [ROOT, file("x")],
    "an empty step": [ROOT, folder("a"), file("./a//b")],
    "a link, then a file through it": [ROOT, symlink("./a", dir), file(`./a/${victim.slice(dir.length + 1)}`)],
    "a relative link, then a file through it": [ROOT, folder("a"), symlink("./b", "a"), file("./b/x")],
    "a folder that becomes a link": [ROOT, folder("a"), symlink("./a", dir), file("./a/x")],
    "the home that becomes a link": [ROOT, symlink("./", dir)],
    "the same name twice": [ROOT, file("./a"), file("./a")],
    "names out of order": [ROOT, file("./b"), file("./a")],
    "a file inside a file": [ROOT, file("./a"), file("./a/b")],
    "a folder that was left": [ROOT, folder("a"), folder("b"), file("./a/x")],
    "a hard link to an absolute path": [ROOT, hardlink("./a", victim)],
    "a hard link upwards": [ROOT, { ...hardlink("./a", "x"), pax: [["linkpath", up]] }],
    "a hard link through a link": [ROOT, symlink("./a", dir), hardlink("./b", `./a/${victim.slice(dir.length + 1)}`)],
    "a hard link to a folder": [ROOT, folder("a"), hardlink("./b", "./")],
    "a character device": [ROOT, { name: "./a", type: "3", device: 256 + 3 }],
    "a block device": [ROOT, { name: "./a", type: "4", device: 8 * 256 }],
    "a file that runs as root": [ROOT, { ...file("./a"), mode: 0o4755, uid: 0 }],
    "a NUL in the path of an extended header": [
      ROOT,
      { ...file("./x"), pax: [["path", Buffer.from("./x\0/../../y")]] },
    ],
    "a NUL in a link": [ROOT, { ...symlink("./x", "y"), pax: [["linkpath", Buffer.from("a\0b")]] }],
    "a negative size in base 256": [ROOT, { ...file("./a"), size: Buffer.alloc(12, 0xff) }],
    "a negative size in an extended header": [ROOT, { ...file("./a"), pax: [["size", "-1"]] }],
    "a size that is not a number": [ROOT, { ...file("./a"), size: "12x" }],
    "a size beyond all numbers": [ROOT, { ...file("./a"), pax: [["size", "99999999999999999999"]] }],
    "a link with content": [ROOT, { ...symlink("./a", "b"), content: Buffer.from("x") }],
    "an extended header that goes on for ever": [ROOT, { ...file("./a"), rawPax: Buffer.from("999 path=./x\n") }],
    "an extended header with a length of zero": [ROOT, { ...file("./a"), rawPax: Buffer.from("0 path=./x\n") }],
    "an extended header that says the path twice": [
      ROOT,
      {
        ...file("./a"),
        pax: [
          ["path", "./a"],
          ["path", up],
        ],
      },
    ],
    "an unknown extension": [ROOT, { ...file("./a"), pax: [["GNU.volume.label", "x"]] }],
    "an attribute that needs root": [ROOT, { ...file("./a"), pax: [["SCHILY.xattr.security.capability", "x"]] }],
    "a global extended header": [{ name: "./g", type: "g", content: Buffer.from("13 path=./xx\n") }, ROOT],
    "GNU's own long names": [ROOT, { name: "././@LongLink", type: "L", content: Buffer.from(victim) }, file("./a")],
    "an unknown type": [ROOT, { name: "./a", type: "Z" }],
    "an old format": [ROOT, { ...file("./a"), magic: "ustar  \0" }],
    "a wrong checksum": [ROOT, { ...file("./a"), breakChecksum: true }],
    "no home at the beginning": [file("./a")],
    "a sparse file whose map leads outside": [ROOT, sparse("3\n0\n512\n100000\n512\n1\n1\n", 1024, 2048)],
    "a sparse file whose map is cut": [ROOT, sparse("9\n", 1024, 512)],
    "a sparse file with negative pieces": [ROOT, sparse("1\n-5\n10\n", 1024, 512)],
    "a sparse file of an old kind": [
      ROOT,
      {
        ...file("./a"),
        pax: [
          ["GNU.sparse.major", "0"],
          ["GNU.sparse.name", "./a"],
          ["GNU.sparse.realsize", "5"],
        ],
      },
    ],
    "more entries than recorded": [
      ROOT,
      ...Array.from({ length: 2000 }, (_, i) => file(`./${String(i).padStart(6, "0")}`)),
    ],
    "more bytes than recorded": [ROOT, { name: "./a", content: Buffer.alloc(2 ** 21) }],
  };
  const archives = new Map(Object.entries(cases).map(([what, entries]) => [what, tarOf(entries)]));
  archives.set("no end mark", tarOf([ROOT, file("./a")], { endMark: false }));
  archives.set("a cut between two entries", tarOf([ROOT, file("./a"), file("./b")]).subarray(0, 512 * 3));
  archives.set("a cut inside a file", tarOf([ROOT, { name: "./a", content: Buffer.alloc(5000, 1) }]).subarray(0, 2000));
  archives.set("entries after the end", Buffer.concat([tarOf([ROOT, file("./a")]), tarOf([ROOT, file("./b")])]));
  archives.set("no archive at all", Buffer.from("#!/bin/sh\necho hello\n"));
  return archives;
}

function sparse(map: string, realsize: number, stored: number): RawEntry {
  const content = Buffer.alloc(stored);
  content.write(map);
  return {
    name: "./GNUSparseFile.1/a",
    content,
    pax: [
      ["GNU.sparse.major", "1"],
      ["GNU.sparse.minor", "0"],
      ["GNU.sparse.name", "./a"],
      ["GNU.sparse.realsize", String(realsize)],
    ],
  };
}

/** The smallest archive that is accepted, so that the others are refused for what they try and nothing else. */
export const harmless = (): Buffer =>
  tarOf([ROOT, file("./a"), folder("b"), file("./b/c"), hardlink("./b/d", "./b/c"), symlink("./e", "/etc/passwd")]);

export const LIMITS = { entryCount: 1000, contentBytes: 2 ** 20 };
