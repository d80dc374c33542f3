import { expect, test } from "vitest";
import { parseProgress } from "./progress-line.ts";

test("receiving is most of a clone, and tells bytes and their rate", () => {
  const line = "Receiving objects:  58% (2809/4842), 62.16 MiB | 61.67 MiB/s";
  expect(parseProgress("cloning", line)).toEqual({
    step: "cloning",
    percent: 52,
    doneBytes: Math.round(62.16 * 2 ** 20),
    bytesPerSecond: Math.round(61.67 * 2 ** 20),
  });
});

test("percents of a clone only rise", () => {
  const lines = [
    "Receiving objects:   0% (1/4842)",
    "Receiving objects:  99% (4794/4842), 1.00 KiB | 512 bytes/s",
    "Receiving objects: 100% (4842/4842), 153.20 MiB | 61.67 MiB/s, done.",
    "Resolving deltas:   0% (0/200)",
    "Resolving deltas: 100% (200/200), done.",
  ];
  expect(lines.map((line) => parseProgress("cloning", line)?.percent)).toEqual([0, 89, 90, 90, 100]);
});

test("what the other side prepares has no percent of ours", () => {
  const line = "remote: Compressing objects:  50% (10/20)";
  expect(parseProgress("cloning", line)).toMatchObject({ percent: null, doneBytes: 0, bytesPerSecond: null });
});

test("files that are checked out, and objects of git-lfs in its own units", () => {
  expect(parseProgress("checking_out", "Updating files:  12% (480/4000)")?.percent).toBe(12);
  expect(parseProgress("lfs", "Downloading LFS objects:  50% (1/2), 1.5 MB | 300 KB/s")).toEqual({
    step: "lfs",
    percent: 50,
    doneBytes: 1_500_000,
    bytesPerSecond: 300_000,
  });
});

test("of many submodules one is not the whole", () => {
  const line = "Receiving objects:  58% (2809/4842), 62.16 MiB | 61.67 MiB/s";
  expect(parseProgress("submodules", line)).toMatchObject({ percent: null, doneBytes: Math.round(62.16 * 2 ** 20) });
});

test("other lines say nothing", () => {
  for (const line of [
    "Cloning into 'x'...",
    "fatal: repository not found",
    "remote: Total 3 (delta 0)",
    "",
    "a: 50%",
  ]) {
    expect(parseProgress("cloning", line)).toBeNull();
  }
});
