import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Claim } from "#adapters/kubernetes/objects.ts";
import { volumeName } from "#core/rows/names.ts";
import { startWorkspace } from "../docker/start-workspace.ts";
import { runInside } from "../runtime/ask.ts";
import { type KubernetesHarness, kubernetesHarness } from "./kubernetes-harness.ts";

const cluster = inject("cluster");
const never = new AbortController().signal;

/** Two deployments in one namespace, and things of somebody else's beside them. */
describe.skipIf(cluster === null)("a cluster that is not ours alone", () => {
  let harness: KubernetesHarness;
  const otherId = randomUUID();
  beforeAll(async () => {
    if (cluster !== null) harness = await kubernetesHarness(cluster);
  });
  afterAll(async () => {
    for (const { name } of (await harness?.as(otherId).volumes.list()) ?? []) {
      await harness.as(otherId).volumes.remove(name);
    }
    await harness?.close();
  });

  it("two deployments do not see, change or remove anything of each other's", async () => {
    const other = harness.as(otherId);
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = volumeName(workspaceId, attempt);
    const [one] = await Promise.all([
      startWorkspace(harness),
      other.volumes.create({ name: volume, workspaceId, attempt }),
    ]);
    await other.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    const two = await startWorkspace({ ...harness, runtime: other.runtime }, { workspaceId, attempt, volume });

    expect((await harness.runtime.list()).map(({ id }) => id)).toEqual([one.id]);
    expect((await other.runtime.list()).map(({ id }) => id)).toEqual([two.id]);
    expect((await harness.volumes.list()).map(({ name }) => name)).toEqual([one.volume]);
    expect((await other.volumes.list()).map(({ name }) => name)).toEqual([volume]);

    // By name and id, as after a mix-up of two databases.
    expect(await harness.runtime.inspect(workspaceId)).toEqual([]);
    expect(await harness.volumes.inspect(volume)).toBeNull();
    await expect(harness.runtime.remove(two.id, 1)).rejects.toThrow(/not of this deployment/);
    await expect(harness.volumes.identity(volume)).rejects.toThrow(/there is no volume/);
    await expect(
      harness.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null }),
    ).rejects.toThrow(/there is no volume/);
    await harness.volumes.remove(volume);
    expect(await harness.volumes.create({ name: volume, workspaceId, attempt })).toBe(false);
    const spec = { workspaceId, attempt, volume, imageRef: harness.imageRef, hostPort: null, ownerId: workspaceId };
    await expect(harness.runtime.start(spec, never)).rejects.toThrow();
    expect(await harness.runtime.logs(two.id, 10)).toBe("");

    // Nothing happened to it.
    expect((await other.runtime.inspect(workspaceId)).map(({ id, state }) => [id, state])).toEqual([
      [two.id, "running"],
    ]);
    expect(await runInside(two, "echo still there")).toEqual({ code: 0, text: "still there\n" });
    expect(await other.volumes.identity(volume)).toMatchObject({ workspaceId, attempt });

    await other.runtime.remove(two.id, 1);
    await other.volumes.remove(volume);
    expect((await harness.runtime.inspect(one.workspaceId)).map(({ id }) => id)).toEqual([one.id]);
    if (cluster?.dir != null) requireLabels(join(cluster.dir, "log/audit.log"), harness.namespace);
  });

  it("leaves a claim and a pod of somebody else alone that have the names ours would have", async () => {
    const { admin, namespace, volumes, runtime } = harness;
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const name = volumeName(workspaceId, attempt);
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    const made = await admin.create<Claim>(path, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
    });
    expect(await volumes.create({ name, workspaceId, attempt })).toBe(false);
    expect(await volumes.inspect(name)).toBeNull();
    await volumes.remove(name);
    expect((await admin.read<Claim>(`${path}/${name}`))?.metadata.uid).toBe(made.metadata.uid);
    expect((await volumes.list()).map((volume) => volume.name)).not.toContain(name);
    expect(await runtime.inspect(workspaceId)).toEqual([]);
    await admin.remove(`${path}/${name}`, made.metadata.uid);
  });
});

/** The cluster's own record of what was asked for: nothing without the label of a deployment. */
function requireLabels(record: string, namespace: string): void {
  const lines = readFileSync(record, "utf8").trim().split("\n");
  const asked = lines
    .filter((line) => line.includes(`"system:serviceaccount:${namespace}:codehub"`))
    .map((line) => JSON.parse(line) as { verb: string; requestURI: string });
  const lists = asked.filter(({ verb, requestURI }) => /list|watch/.test(verb) && !requestURI.includes("/events?"));
  expect(lists.length).toBeGreaterThan(4);
  for (const { requestURI } of lists) {
    expect(decodeURIComponent(requestURI)).toMatch(/labelSelector=codehub\/deployment=[0-9a-f-]{36}/);
  }
  expect(asked.filter(({ verb }) => verb === "deletecollection")).toEqual([]);
}
