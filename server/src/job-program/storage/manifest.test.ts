import fc from "fast-check";
import { expect, test } from "vitest";
import { type Entry, Manifest } from "./manifest.ts";

const entry = (change: Partial<Entry> = {}): Entry => ({
  path: Buffer.from("a"),
  type: "file",
  mode: 0o644,
  uid: 1,
  gid: 2,
  mtime: "3.5",
  size: 0,
  link: Buffer.alloc(0),
  attributes: [],
  ...change,
});

/** Content as it is: bytes and stretches of zeros that often end beside a page's edge. */
const contents = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 50 }),
      fc
        .constantFrom(1, 511, 512, 4095, 4096, 4097, 8192, 12_288)
        .chain((length) => fc.constantFrom(0, 0, 0, 7).map((byte) => new Uint8Array(length).fill(byte))),
    ),
    { maxLength: 6 },
  )
  .map((parts) => Buffer.concat(parts));

function digestOf(content: Buffer, feed: (manifest: Manifest) => void): string {
  const manifest = new Manifest();
  manifest.entry(entry({ size: content.length }));
  feed(manifest);
  manifest.endOfFile();
  return manifest.digest().manifestDigest;
}

test("the digest does not depend on how the content comes: at once, in pieces, or with holes for zeros", () => {
  fc.assert(
    fc.property(contents, fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1 }), (content, sizes) => {
      const whole = digestOf(content, (manifest) => manifest.data(content));
      const inPieces = digestOf(content, (manifest) => {
        for (let at = 0, i = 0; at < content.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          manifest.data(content.subarray(at, at + size));
          at += size;
        }
      });
      const withHoles = digestOf(content, (manifest) => {
        for (let at = 0, i = 0; at < content.length; i++) {
          const piece = content.subarray(at, at + (sizes[i % sizes.length] ?? 1));
          at += piece.length;
          if (piece.every((byte) => byte === 0)) manifest.skipTo(at);
          else manifest.data(piece);
        }
      });
      expect(inPieces).toBe(whole);
      expect(withHoles).toBe(whole);
    }),
    { numRuns: 500 },
  );
});

test("another content has another digest, also when only zeros moved", () => {
  fc.assert(
    fc.property(contents, contents, (one, other) => {
      fc.pre(!one.equals(other));
      expect(digestOf(one, (manifest) => manifest.data(one))).not.toBe(
        digestOf(other, (manifest) => manifest.data(other)),
      );
    }),
    { numRuns: 500 },
  );
  const first = Buffer.concat([Buffer.alloc(4096), Buffer.alloc(4096, 1)]);
  const second = Buffer.concat([Buffer.alloc(4096, 1), Buffer.alloc(4096)]);
  expect(digestOf(first, (manifest) => manifest.data(first))).not.toBe(
    digestOf(second, (manifest) => manifest.data(second)),
  );
});

test("everything an entry says is in the digest, and the order of its attributes is not", () => {
  const digest = (...entries: Entry[]): string => {
    const manifest = new Manifest();
    for (const each of entries) {
      manifest.entry(each);
      manifest.endOfFile();
    }
    return manifest.digest().manifestDigest;
  };
  const [x, y] = [
    { key: "x", value: Buffer.from("1") },
    { key: "y", value: Buffer.from("2") },
  ];
  expect(digest(entry({ attributes: [x, y] }))).toBe(digest(entry({ attributes: [y, x] })));
  const changes: Partial<Entry>[] = [
    {},
    { path: Buffer.from("b") },
    { type: "fifo" },
    { mode: 0o600 },
    { uid: 9 },
    { gid: 9 },
    { mtime: "3.6" },
    { size: 1 },
    { link: Buffer.from("l") },
    { attributes: [x] },
    { attributes: [{ key: "x", value: Buffer.from("2") }] },
  ];
  const digests = [...changes.map((change) => digest(entry(change))), digest(), digest(entry(), entry())];
  expect(new Set(digests).size).toBe(digests.length);
});
