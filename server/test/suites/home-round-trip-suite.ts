import { randomUUID } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import { describeTree } from "../data/fingerprint.ts";
import { plant, plantedTree } from "../data/home-tree.ts";
import { deepPath, giveAll, plantZoo } from "../data/zoo.ts";
import type { StorageJobsHarness } from "./storage-jobs-suite.ts";

export interface RoundTripHarness extends StorageJobsHarness {
  /** Where the test can reach the home itself. */
  readonly homePath: (volume: string) => string;
  /** Where a home can have nothing of anybody else's: who owns it. */
  readonly owner?: number;
}

const quiet = { onProgress: () => {}, signal: new AbortController().signal };

/**
 * Real trees through the real programs: what is restored is what was archived, by a description made without them. How
 * many there are is what a runtime has time for.
 */
export function homeRoundTripSuite(
  name: string,
  make: () => Promise<RoundTripHarness>,
  { trees, smallFolders }: { readonly trees: number; readonly smallFolders: number },
): void {
  describe(`round trip: ${name}`, () => {
    let harness: RoundTripHarness;
    beforeAll(async () => {
      harness = await make();
    });
    afterAll(async () => {
      await harness?.close();
    });

    const newVolume = async (workspaceId: string) => {
      const attempt = randomUUID();
      const volume = volumeName(workspaceId, attempt);
      await harness.volumes.create({ name: volume, workspaceId, attempt });
      return { workspaceId, attempt, volume };
    };
    /** Plants, archives, restores, compares; then takes everything away. */
    const roundTrip = async (plantIn: (home: string) => void | Promise<void>) => {
      const { workspaceId, attempt, volume } = await newVolume(randomUUID());
      await plantIn(harness.homePath(volume));
      await harness.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
      const before = describeTree(harness.homePath(volume));
      const jobs = harness.jobs(harness.store);
      const opId = randomUUID();
      const key = archiveKey(workspaceId, opId);
      const facts = await jobs.archive({ workspaceId, attempt: opId, volume, key }, quiet);
      expect(describeTree(harness.homePath(volume))).toBe(before);
      const target = await newVolume(workspaceId);
      await jobs.restore({ ...target, key, expected: facts }, quiet);
      expect(describeTree(harness.homePath(target.volume))).toBe(before);
      await harness.volumes.remove(volume);
      await harness.volumes.remove(target.volume);
      await harness.store.remove(key);
      return { facts, entries: before.split("\n").length };
    };

    it("keeps one of everything: holes, links, pipes, locked folders, odd names, attributes, times", async () => {
      let sockets = 0;
      const { facts } = await roundTrip(async (home) => {
        sockets = await plantZoo(home, harness.owner);
      });
      expect(facts.skippedSockets).toBe(sockets);
    }, 300_000);

    it("keeps any tree", async () => {
      await fc.assert(
        fc.asyncProperty(plantedTree, async (things) => {
          await roundTrip((home) => plant(home, things, harness.owner));
        }),
        { numRuns: Number(process.env["ROUND_TRIP_RUNS"] ?? trees), endOnFailure: true },
      );
    }, 900_000);

    it("does not archive what it could not restore: a path longer than the kernel takes", async () => {
      const { workspaceId, attempt, volume } = await newVolume(randomUUID());
      deepPath(harness.homePath(volume), 30, 200);
      giveAll(harness.homePath(volume), harness.owner);
      await harness.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
      const key = archiveKey(workspaceId, attempt);
      const archiving = harness.jobs(harness.store).archive({ workspaceId, attempt, volume, key }, quiet);
      await expect(archiving).rejects.toThrow(/cannot be archived.*longer than/);
      await expect(archiving).rejects.toMatchObject({ reason: "ActionFailed" });
      expect(await harness.store.head(key)).toBeNull();
      await harness.volumes.remove(volume);
      expect(await harness.volumes.inspect(volume)).toBeNull();
    });

    it(`keeps ${smallFolders} thousand small files`, async () => {
      const { facts } = await roundTrip((home) => {
        for (let folder = 0; folder < smallFolders; folder++) {
          const path = join(home, `folder-${folder}`);
          mkdirSync(path);
          for (let file = 0; file < 1000; file++) writeFileSync(join(path, `file-${file}`), `${folder} ${file}`);
          utimesSync(path, 1_600_000_000, 1_600_000_000);
        }
        giveAll(home, harness.owner);
      });
      expect(facts.entryCount).toBe(1001 * smallFolders + 1);
    }, 900_000);
  });
}
