import { expect, test } from "vitest";
import { TarScan } from "#job-program/storage/tar-scan.ts";
import { harmless, hostileArchives, LIMITS } from "./hostile-archives.ts";

function scan(archive: Buffer, chunk: number) {
  const reader = new TarScan({ limits: LIMITS, describe: true, skipRoot: false });
  for (let at = 0; at < archive.length; at += chunk) reader.write(archive.subarray(at, at + chunk));
  return reader.end().facts;
}

for (const [what, archive] of hostileArchives("/etc/codehub-victim")) {
  test(`refuses ${what}`, () => {
    for (const chunk of [archive.length, 1000, 100]) {
      expect(() => scan(archive, chunk)).toThrow(/the archive was refused/);
    }
  });
}

test("accepts the harmless one, however it is cut into chunks", () => {
  const facts = scan(harmless(), 10_000);
  expect(facts).toMatchObject({ entryCount: 6, contentBytes: 10 });
  for (const chunk of [1, 511, 513, 777]) expect(scan(harmless(), chunk)).toEqual(facts);
});
