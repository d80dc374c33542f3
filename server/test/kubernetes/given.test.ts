import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { Cluster } from "#adapters/kubernetes/cluster.ts";
import { secretNameOf } from "#adapters/kubernetes/given-secret.ts";
import type { StartSpec } from "#ports/runtime.ts";
import { type KubernetesHarness, kubernetesHarness } from "./kubernetes-harness.ts";

const run = promisify(execFile);
const cluster = inject("cluster");
const never = new AbortController().signal;
const REGISTRY = "registry.test:5001";

/** What a start is given in secret, on a cluster, where an object has to carry it. */
describe.skipIf(cluster === null || cluster.dir === null)("what a pod is given", () => {
  const dir = cluster?.dir ?? "";
  let harness: KubernetesHarness;
  beforeAll(async () => {
    if (cluster !== null) harness = await kubernetesHarness(cluster);
  });
  afterAll(async () => {
    await harness?.close();
  });

  /** Of these starts: other tests run beside this one. */
  const secretsOf = async (...specs: readonly StartSpec[]): Promise<string[]> => {
    const ours = new Set(specs.map(secretNameOf));
    const path = `/api/v1/namespaces/${harness.namespace}/secrets`;
    const all = await harness.admin.list<{ metadata: { name: string } }>(path, {});
    return all.map(({ metadata }) => metadata.name).filter((name) => ours.has(name));
  };
  const specFor = async (change: Partial<StartSpec>): Promise<StartSpec> => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = await harness.makeVolume(workspaceId, attempt);
    return {
      workspaceId,
      attempt,
      volume,
      imageRef: harness.imageRef,
      hostPort: null,
      ownerId: randomUUID(),
      ...change,
    };
  };

  /** One that no other test has on its nodes: whoever pulled it with a credential, others need that for it too. */
  const pushedImage = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "chi-"));
    try {
      await mkdir(join(folder, "bin"));
      await copyFile("/bin/busybox", join(folder, "bin/sleep"));
      await writeFile(join(folder, "own"), randomUUID());
      await run(join(dir, "image-import"), [
        folder,
        "1",
        "--name",
        "x.test/private:1",
        "--cmd",
        "/bin/sleep 1000",
        "--user",
        "1000",
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
    await run(join(dir, "part"), ["start", "registry-auth"]);
    await run(join(dir, "image-push"), ["x.test/private:1", "private/image:1", "--auth"]);
    return `${REGISTRY}/private/image:1`;
  };

  it("pulls with the credential of this start, and not with another", async () => {
    const imageRef = await pushedImage();
    try {
      const pullCredential = { registry: REGISTRY, user: "puller", password: "secret" };
      const [refused, spec] = await Promise.all([
        specFor({ imageRef, pullCredential: { ...pullCredential, password: "guessed" } }),
        specFor({ imageRef, pullCredential }),
      ]);
      await expect(harness.runtime.start(refused, never)).rejects.toMatchObject({ reason: "ImagePullFailed" });
      const { containerId } = await harness.runtime.start(spec, never);
      expect(await harness.runtime.inspect(spec.workspaceId)).toMatchObject([{ id: containerId, state: "running" }]);
      await harness.runtime.remove(containerId, 1);
      await vi.waitFor(async () => expect(await secretsOf(refused, spec)).toEqual([]), {
        timeout: 60_000,
        interval: 200,
      });
    } finally {
      await run(join(dir, "part"), ["stop", "registry-auth"]);
    }
  });

  it("is gone with a pod that never got to read it, and with one whose server did not get to take it back", async () => {
    const files = [{ path: "key", mode: 0o400, content: Buffer.from("k") }];
    const unpullable = await specFor({ files, imageRef: "127.0.0.1:1/nothing:1" });
    await expect(harness.runtime.start(unpullable, never)).rejects.toMatchObject({ reason: "ImagePullFailed" });
    const left = await specFor({ files });
    const { remove } = Cluster.prototype;
    const spy = vi.spyOn(Cluster.prototype, "remove").mockImplementation(function (this: Cluster, path, ...rest) {
      // As if it had ended right before: the one call that it does not get to make.
      if (path.endsWith(`/secrets/${secretNameOf(left)}`)) return Promise.reject(new Error("ended"));
      return remove.call(this, path, ...rest);
    });
    await expect(harness.runtime.start(left, never)).rejects.toThrow("ended");
    spy.mockRestore();
    await vi.waitFor(async () => expect(await secretsOf(unpullable, left)).toEqual([]), {
      timeout: 60_000,
      interval: 200,
    });
  });
});
