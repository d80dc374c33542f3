import { expect, test } from "vitest";
import { dayAndTime } from "../format/format.ts";
import { archives, keptBecause } from "./collection-words.ts";

const until = "2026-03-05T10:00:00.000Z";
const local = dayAndTime(new Date(until).getTime());

test.each([
  [{ reason: "in_use", count: 1, until: null }, "kept because it is the newest copy of a workspace's home"],
  [{ reason: "in_use", count: 2, until: null }, "kept because they are the newest copies of workspaces' homes"],
  [{ reason: "operation", count: 1, until: null }, "kept because an operation is writing it"],
  [{ reason: "trash", count: 1, until: null }, "kept because it is in the trash and can be restored"],
  [{ reason: "trash", count: 1, until }, `kept because it is in the trash and can be restored until ${local}`],
  [
    { reason: "trash", count: 3, until },
    `kept because they are in the trash and can be restored, the first of them until ${local}`,
  ],
] as const)("%o", (kept, words) => {
  expect(keptBecause(kept)).toBe(words);
});

test.each([
  [0, "0 archives"],
  [1, "1 archive"],
  [1_234, "1,234 archives"],
])("%d is %s", (amount, words) => {
  expect(archives(amount)).toBe(words);
});
