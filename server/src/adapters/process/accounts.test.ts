import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { OperationFailure } from "#ports/failure.ts";
import { Accounts } from "./accounts.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "codehub-accounts-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

it("gives every owner a uid of his own, also when all ask at once, and remembers it", async () => {
  const accounts = new Accounts(dir, true);
  const owners = Array.from({ length: 20 }, (_, index) => `owner ${index}`);
  const uids = await Promise.all(owners.map((owner) => accounts.uidFor(owner)));
  expect(new Set(uids).size).toBe(20);
  const later = new Accounts(dir, true);
  expect(await Promise.all(owners.toReversed().map((owner) => later.uidFor(owner)))).toEqual(uids.toReversed());
});

it("gives owners of another server on the same machine other uids", async () => {
  const uids = async (place: string) => {
    const accounts = new Accounts(join(dir, place), true);
    await mkdir(join(dir, place));
    return Promise.all(["anna", "ben"].map((owner) => accounts.uidFor(owner)));
  };
  const [first, second] = [await uids("one"), await uids("two")];
  expect(first.some((uid) => second.includes(uid))).toBe(false);
});

it("without root serves one owner for ever and refuses a second one by the name of the rule", async () => {
  expect(await new Accounts(dir, false).uidFor("anna")).toBeNull();
  const later = new Accounts(dir, false);
  await expect(later.uidFor("ben")).rejects.toThrow(/PROCESS_RUNTIME_SINGLE_USER/);
  await expect(later.uidFor("ben")).rejects.toBeInstanceOf(OperationFailure);
  expect(await later.uidFor("anna")).toBeNull();
});
