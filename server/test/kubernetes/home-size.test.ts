import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { Claim } from "#adapters/kubernetes/objects.ts";
import { volumeName } from "#core/rows/names.ts";
import { type DiskUse, diskSeen } from "#core/rules/disk.ts";
import { startWorkspace } from "../docker/start-workspace.ts";
import { workspace } from "../fixtures/workspace.ts";
import { runInside } from "../runtime/ask.ts";
import { type KubernetesHarness, kubernetesHarness } from "./kubernetes-harness.ts";

const cluster = inject("cluster");
const MIB = 1024 ** 2;

/** On disks whose size is real, which grow when they are mounted next. */
describe.skipIf(cluster === null || cluster.dir === null)("the size of a home", () => {
  let harness: KubernetesHarness;
  beforeAll(async () => {
    if (cluster !== null) harness = await kubernetesHarness(cluster, "disk");
  });
  afterAll(async () => {
    await harness?.close();
  });

  const claimOf = async ({ namespace, admin }: KubernetesHarness, name: string): Promise<Claim | null> =>
    await admin.read<Claim>(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`);
  const requested = async (on: KubernetesHarness, name: string): Promise<number> =>
    Number((await claimOf(on, name))?.spec?.resources?.requests?.storage);

  it("grows, never shrinks, and what is in it stays", async () => {
    const container = await startWorkspace(harness);
    const volume = container.volume ?? "";
    const size = async (on: typeof container): Promise<number> =>
      Number((await runInside(on, "df -P -k /home/coder | awk 'NR==2 {print $2}'")).text);
    const before = await size(container);
    expect(await runInside(container, "echo kept > /home/coder/file")).toMatchObject({ code: 0 });
    await harness.volumes.grow(volume, 160 * MIB);
    await harness.volumes.grow(volume, 100 * MIB);
    expect(await requested(harness, volume)).toBe(160 * MIB);
    await harness.runtime.remove(container.id, 1);
    // The driver of the cluster makes the disk larger before the next pod mounts it.
    await vi.waitFor(async () => {
      const conditions = (await claimOf(harness, volume)) as { status?: { conditions?: { type: string }[] } } | null;
      expect(conditions?.status?.conditions?.map(({ type }) => type)).toContain("FileSystemResizePending");
    }, 60_000);
    const again = await startWorkspace(harness, { workspaceId: container.workspaceId, volume });
    expect(await runInside(again, "cat /home/coder/file")).toEqual({ code: 0, text: "kept\n" });
    expect(await size(again)).toBeGreaterThan(before * 1.8);
    await vi.waitFor(
      async () => expect(await harness.volumes.sizeOf(volume)).toBeGreaterThanOrEqual(160 * MIB),
      60_000,
    );
  });

  it("is known while it runs, as is what is used of it, until the last byte", async () => {
    const container = await startWorkspace(harness);
    const used = async (): Promise<DiskUse> => {
      const disk = (await harness.runtime.usage([container])).get(container.id)?.disk;
      if (disk?.known !== true) throw new Error(disk?.why);
      return disk.value;
    };
    const empty = await used();
    expect(empty).toMatchObject({ shared: false });
    expect(empty.totalBytes).toBeGreaterThan(40 * MIB);
    expect(empty.totalBytes).toBeLessThanOrEqual(64 * MIB);
    expect(empty.usedBytes / empty.totalBytes).toBeLessThan(0.5);
    const { text } = await runInside(container, "dd if=/dev/zero of=/home/coder/big bs=1M count=80 2>&1; sync");
    expect(text).toMatch(/No space left/);
    const full = await used();
    expect(full.totalBytes).toBe(empty.totalBytes);
    expect(full.usedBytes / full.totalBytes).toBeGreaterThan(0.97);
    // What the page shows follows from this.
    const row = workspace({ homeVolume: container.volume });
    const facts = { row, archives: [], volumes: [], now: 1 };
    expect(diskSeen(facts, container.volume ?? "", empty)).toBeNull();
    expect(diskSeen(facts, container.volume ?? "", full)?.patch.homeCtx?.disk).toMatchObject(full);
    await runInside(container, "rm /home/coder/big; sync");
    await vi.waitFor(async () => expect((await used()).usedBytes).toBeLessThan(full.usedBytes / 2), 20_000);
    await harness.runtime.remove(container.id, 1);
  });

  it("of a new volume is at least what it has to hold, and never less than a new home's", async () => {
    const make = async (atLeastBytes: number): Promise<number> => {
      const [workspaceId, attempt] = [randomUUID(), randomUUID()];
      const name = volumeName(workspaceId, attempt);
      await harness.volumes.create({ name, workspaceId, attempt, atLeastBytes });
      return await requested(harness, name);
    };
    expect(await Promise.all([make(90 * MIB), make(1)])).toEqual([90 * MIB, 64 * MIB]);
  });

  it("stays where the storage class does not let it grow, and that is told in the cluster's words", async () => {
    if (cluster === null) return;
    const name = `fixed-${randomUUID().slice(0, 8)}`;
    const path = "/apis/storage.k8s.io/v1/storageclasses";
    const { provisioner } = (await harness.admin.read<{ provisioner: string }>(`${path}/standard`)) ?? {};
    const made = await harness.admin.create<Claim>(path, {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name },
      provisioner,
      volumeBindingMode: "WaitForFirstConsumer",
      allowVolumeExpansion: false,
    });
    const fixed = await kubernetesHarness(cluster, name);
    try {
      const volume = await fixed.makeVolume(randomUUID(), randomUUID());
      await expect(fixed.volumes.grow(volume, 128 * MIB)).rejects.toMatchObject({
        reason: "ActionFailed",
        fields: { failure: "home_size_refused" },
        message: expect.stringMatching(/storageclass.*must support resize/i),
      });
      expect(await requested(fixed, volume)).toBe(64 * MIB);
    } finally {
      await fixed.close();
      await harness.admin.remove(`${path}/${name}`, made.metadata.uid);
    }
  });
});
