import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBackup, writeBackup } from "./backup-file.ts";

const SNAPSHOT = {
  schema: 10,
  postgres: 180_004,
  takenAt: "2026-11-17T20:00:00.000Z",
  deploymentId: "d",
  runtimeKind: "process",
  engineId: "e",
  storeId: "s",
  columns: { users: ["id", "name"] },
};
const ROWS = [
  { table: "users", row: '{"id":1,"name":"mina"}' },
  { table: "users", row: '{"id":9007199254740993,"name":"a \u2028 line \u0085 and \r"}' },
  { table: "workspaces", row: '{"id":"{}"}' },
];

async function* given(): AsyncIterable<(typeof ROWS)[number]> {
  yield* ROWS;
}

describe("a backup's file", () => {
  let folder: string;
  let path: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "codehub-backup-file-"));
    path = join(folder, "whole");
    await writeBackup(path, "data", SNAPSHOT, given());
  });
  afterAll(async () => await rm(folder, { recursive: true }));

  test("gives back what was written, as it was written, and is nobody else's to read", async () => {
    const rows: { table: string; row: string }[] = [];
    const { header, counts } = await readBackup(path, (table, row) => void rows.push({ table, row }));
    expect(rows).toEqual(ROWS);
    expect(counts).toEqual({ users: 2, workspaces: 1 });
    expect(header).toMatchObject({ ...SNAPSHOT, holds: "data", format: "codehub-backup", version: 1 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("is not written over one that is there", async () => {
    await expect(writeBackup(path, "data", SNAPSHOT, given())).rejects.toThrow(/EEXIST/);
  });

  const lines = async (): Promise<string[]> =>
    gunzipSync(await readFile(path))
      .toString()
      .split("\n");
  const packed = (change: (all: string[]) => string[]) => async (): Promise<Buffer> =>
    gzipSync(change(await lines()).join("\n"));
  test.each<[string, () => Promise<Buffer>, RegExp]>([
    ["cut short", async () => (await readFile(path)).subarray(0, -12), /cut short/],
    ["cut at a line", packed((all) => all.slice(0, 3)), /its end is missing/],
    ["a row less", packed((all) => all.toSpliced(1, 1)), /damaged/],
    ["another row", packed((all) => all.map((line) => line.replace("mina", "nina"))), /damaged/],
    ["more after its end", packed((all) => [...all.slice(0, -1), "users {}"]), /goes on after its end/],
    ["something else", async () => gzipSync("hello\n"), /no backup of CodeHub/],
    ["not packed", async () => Buffer.from("hello"), /damaged or was cut short/],
    ["of a newer release", packed((all) => [(all[0] ?? "").replace('"version":1', '"version":2')]), /newer CodeHub/],
    ["empty", async () => gzipSync(""), /is empty/],
  ])("%s is refused", async (_name, content, words) => {
    const broken = join(folder, "broken");
    await writeFile(broken, await content());
    await expect(readBackup(broken)).rejects.toThrow(words);
  });

  test("one that is not there is refused by its name", async () => {
    await expect(readBackup(join(folder, "nowhere"))).rejects.toThrow(/nowhere cannot be read/);
  });
});
