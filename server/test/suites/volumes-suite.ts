import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { volumeName } from "#core/rows/names.ts";
import type { VolumeIdentity, Volumes } from "#ports/volumes.ts";

export interface VolumesHarness {
  readonly volumes: Volumes;
  /** The same engine seen by a server that has just started. */
  readonly reopened: () => Promise<Volumes>;
  /** The same engine seen by another deployment. */
  readonly stranger: () => Promise<Volumes>;
  /** Whether the volume has an empty home. */
  readonly hasEmptyHome: (name: string) => Promise<boolean>;
  /** Lets something use the volume until the returned function is called. */
  readonly occupy: (name: string) => Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
}

/** What every kind of volumes promises. */
export function volumesSuite(name: string, make: () => Promise<VolumesHarness>): void {
  describe(`volumes: ${name}`, () => {
    let harness: VolumesHarness;
    let volumes: Volumes;
    beforeAll(async () => {
      harness = await make();
      volumes = harness.volumes;
    });
    afterAll(async () => {
      await harness?.close();
    });
    const spec = () => {
      const [workspaceId, attempt] = [randomUUID(), randomUUID()];
      return { name: volumeName(workspaceId, attempt), workspaceId, attempt };
    };
    const identityOf = (made: ReturnType<typeof spec>): VolumeIdentity => ({
      workspaceId: made.workspaceId,
      attempt: made.attempt,
      archiveKey: null,
      manifestDigest: null,
    });

    it("makes an empty volume with its labels and without identity", async () => {
      const made = spec();
      expect(await volumes.inspect(made.name)).toBeNull();
      expect(await volumes.create(made)).toBe(true);
      expect(await volumes.inspect(made.name)).toEqual(made);
      expect(await volumes.list()).toContainEqual(made);
      expect(await volumes.identity(made.name)).toBeNull();
      expect(await harness.hasEmptyHome(made.name)).toBe(true);
      expect(await (await harness.reopened()).inspect(made.name)).toEqual(made);
    });

    it("does not make a volume twice, and leaves the first as it is", async () => {
      const made = spec();
      await volumes.create(made);
      await volumes.seal(made.name, identityOf(made));
      expect(await volumes.create({ ...made, workspaceId: randomUUID() })).toBe(false);
      expect(await volumes.inspect(made.name)).toEqual(made);
      expect(await volumes.identity(made.name)).toEqual(identityOf(made));
    });

    it("makes a volume once, however many ask at the same time", async () => {
      const made = spec();
      const answers = await Promise.all([volumes.create(made), volumes.create(made), volumes.create(made)]);
      expect(answers.filter((answer) => answer)).toHaveLength(1);
    });

    it("gives an identity once; another one is refused", async () => {
      const made = spec();
      await volumes.create(made);
      const identity = { ...identityOf(made), archiveKey: "some/key", manifestDigest: "digest" };
      await volumes.seal(made.name, identity);
      await volumes.seal(made.name, identity);
      await expect(volumes.seal(made.name, { ...identity, attempt: randomUUID() })).rejects.toThrow(/already/);
      expect(await (await harness.reopened()).identity(made.name)).toEqual(identity);
    });

    it("has no identity to give or to read for a volume that is not there", async () => {
      const made = spec();
      await expect(volumes.seal(made.name, identityOf(made))).rejects.toThrow();
      await expect(volumes.identity(made.name)).rejects.toThrow();
      expect(await volumes.inspect(made.name)).toBeNull();
    });

    it("removes a volume for good, and one that is not there too", async () => {
      const made = spec();
      await volumes.create(made);
      await volumes.seal(made.name, identityOf(made));
      await volumes.remove(made.name);
      expect(await volumes.inspect(made.name)).toBeNull();
      expect(await volumes.list()).not.toContainEqual(made);
      await volumes.remove(made.name);
      expect(await volumes.create(made)).toBe(true);
      expect(await volumes.identity(made.name)).toBeNull();
    });

    it("does not remove a volume that is in use", async () => {
      const made = spec();
      await volumes.create(made);
      const release = await harness.occupy(made.name);
      await expect(volumes.remove(made.name)).rejects.toThrow();
      expect(await volumes.inspect(made.name)).toEqual(made);
      await release();
      await volumes.remove(made.name);
      expect(await volumes.inspect(made.name)).toBeNull();
    });

    it("does not show or touch what belongs to another deployment", async () => {
      const made = spec();
      await volumes.create(made);
      const stranger = await harness.stranger();
      expect(await stranger.inspect(made.name)).toBeNull();
      expect(await stranger.list()).not.toContainEqual(made);
      await stranger.remove(made.name).catch(() => {});
      expect(await volumes.inspect(made.name)).toEqual(made);
    });

    it("knows how much room there is", async () => {
      const { freeBytes, totalBytes } = await volumes.freeSpace();
      expect(freeBytes).toBeGreaterThan(0);
      expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
    });
  });
}
