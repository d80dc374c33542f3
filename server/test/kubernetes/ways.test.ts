import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { Claim, Pod } from "#adapters/kubernetes/objects.ts";
import type { StartSpec, StartWaiting } from "#ports/runtime.ts";
import { startWorkspace } from "../docker/start-workspace.ts";
import { runInside } from "../runtime/ask.ts";
import { type KubernetesHarness, kubernetesHarness } from "./kubernetes-harness.ts";

const cluster = inject("cluster");
const never = new AbortController().signal;

/** What a cluster does that no other engine does. */
describe.skipIf(cluster === null)("the ways of a cluster", () => {
  let harness: KubernetesHarness;
  beforeAll(async () => {
    if (cluster !== null) harness = await kubernetesHarness(cluster);
  });
  afterAll(async () => {
    await harness?.close();
  });

  const claimPath = (name: string): string => `/api/v1/namespaces/${harness.namespace}/persistentvolumeclaims/${name}`;
  const podPath = (name: string): string => `/api/v1/namespaces/${harness.namespace}/pods/${name}`;
  const uidOf = async (path: string): Promise<string> =>
    (await harness.admin.read<Claim>(path))?.metadata.uid ?? "not there";
  const specFor = async (change: Partial<StartSpec> = {}): Promise<StartSpec> => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = change.volume ?? (await harness.makeVolume(workspaceId, attempt));
    return {
      workspaceId,
      attempt,
      volume,
      imageRef: harness.imageRef,
      hostPort: null,
      ownerId: workspaceId,
      ...change,
    };
  };
  const nobodyLeft = (workspaceId: string): Promise<void> =>
    vi.waitFor(async () => expect(await harness.runtime.inspect(workspaceId)).toEqual([]), { timeout: 60_000 });

  it("a disk that is not the home ends the start with both identities in words, and the IDE never began", async () => {
    const spec = await specFor();
    const job = { kind: "swap", token: "1", workspaceId: spec.workspaceId, attempt: spec.attempt };
    const claim = { name: spec.volume, access: "write" } as const;
    const swap = "mv /volume/.codehub/volume-id /volume/.codehub/was && echo another > /volume/.codehub/volume-id";
    const { code } = await harness.jobs.run({ ...job, claim, container: { command: ["/bin/sh", "-c", swap] } });
    expect(code).toBe(0);
    await expect(harness.runtime.start(spec, never)).rejects.toMatchObject({
      reason: "ActionFailed",
      message: expect.stringMatching(/not the home it should be.*'another'.*expected was.*/s),
    });
    await nobodyLeft(spec.workspaceId);
  });

  it("an image that cannot be pulled is told at once in the kubelet's words, and nothing stays to begin later", async () => {
    const spec = await specFor({ imageRef: "127.0.0.1:1/nothing:1" });
    await expect(harness.runtime.start(spec, never)).rejects.toMatchObject({
      reason: "ImagePullFailed",
      message: expect.stringContaining("127.0.0.1:1/nothing:1"),
    });
    await nobodyLeft(spec.workspaceId);
    // The home was never touched by it.
    expect(await harness.volumes.identity(spec.volume)).toMatchObject({ workspaceId: spec.workspaceId });
  });

  it("a claim that somebody deletes keeps its data, says so, and goes only when CodeHub removes it", async () => {
    const spec = await specFor();
    await harness.admin.remove(claimPath(spec.volume), await uidOf(claimPath(spec.volume)));
    const deleted = await harness.admin.read<Claim>(claimPath(spec.volume));
    expect(deleted?.metadata.deletionTimestamp).toBeDefined();
    expect(await harness.volumes.inspect(spec.volume)).toMatchObject({ workspaceId: spec.workspaceId });
    await expect(harness.runtime.start(spec, never)).rejects.toThrow(/was deleted by somebody/);
    await harness.volumes.remove(spec.volume);
    expect(await harness.volumeExists(spec.volume)).toBe(false);
  });

  it("a pod that somebody deletes is shown until it is gone, and its home stays", async () => {
    const container = await startWorkspace(harness);
    await runInside(container, "echo kept > /home/coder/file");
    const [name = "", uid = ""] = container.id.split("/");
    await harness.admin.remove(podPath(name), uid, 5);
    while ((await harness.admin.read<Pod>(podPath(name))) !== null) {
      const seen = await harness.runtime.inspect(container.workspaceId);
      // Gone between the two looks is the one way not to be shown.
      if (seen.length === 0) expect(await harness.admin.read<Pod>(podPath(name))).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const again = await startWorkspace(harness, { workspaceId: container.workspaceId, volume: container.volume ?? "" });
    expect(again.id).not.toBe(container.id);
    expect(await runInside(again, "cat /home/coder/file")).toEqual({ code: 0, text: "kept\n" });
  });

  it("a pod that is drained says so while it still runs, and its home can be started again", async () => {
    const container = await startWorkspace(harness);
    await runInside(container, "echo kept > /home/coder/file");
    // It does not end when asked to: it is seen for as long as the cluster lets it.
    await harness.ignoreStop?.(container);
    const [name = ""] = container.id.split("/");
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: harness.namespace } };
    await harness.admin.create(`${podPath(name)}/eviction`, eviction);
    const [leaving] = await harness.runtime.inspect(container.workspaceId);
    expect(leaving).toMatchObject({
      state: "running",
      ended: { code: "drained", fields: { message: expect.stringContaining("Eviction API") } },
    });
    await nobodyLeft(container.workspaceId);
    const again = await startWorkspace(harness, { workspaceId: container.workspaceId, volume: container.volume ?? "" });
    expect(again.ended).toBeUndefined();
    expect(await runInside(again, "cat /home/coder/file")).toEqual({ code: 0, text: "kept\n" });
  });

  it("says what a start waits for, in the cluster's words", async () => {
    const spec = await specFor();
    const told: StartWaiting[] = [];
    const control = new AbortController();
    // A pod that holds the claim: with ReadWriteOncePod the scheduler waits for it.
    const held = harness.jobs.run({
      kind: "hold",
      token: "1",
      workspaceId: randomUUID(),
      attempt: randomUUID(),
      claim: { name: spec.volume, access: "read" },
      container: { command: ["/bin/sh", "-c", "sleep 600"] },
    });
    const over = held.catch(() => null);
    const holder = await vi.waitFor(async () => {
      const pods = await harness.pods.list({ "codehub/role": "job" });
      const pod = pods.find(({ metadata, status }) => metadata.name.includes("-hold-") && status?.phase === "Running");
      if (pod === undefined) throw new Error("not yet");
      return pod;
    }, 60_000);
    const starting = harness.runtime.start(spec, control.signal, (waiting) => {
      told.push(waiting);
      if (/ReadWriteOncePod/.test(String(waiting.fields["message"]))) control.abort();
    });
    await expect(starting).rejects.toThrow();
    expect(told.at(-1)).toMatchObject({
      code: "no_node",
      fields: { message: expect.stringContaining("ReadWriteOncePod") },
      since: expect.any(Number),
    });
    await harness.pods.remove(holder.metadata, 1);
    await over;
    await nobodyLeft(spec.workspaceId);
  });

  it("shuts a workspace in: no token, no cluster, no neighbour, no identity file, no root", async () => {
    const [one, other] = await Promise.all([startWorkspace(harness), startWorkspace(harness)]);
    const inside = (command: string) => runInside(one, command);
    expect(await inside("id -u")).toEqual({ code: 0, text: "1000\n" });
    expect((await inside("ls /var/run/secrets/kubernetes.io")).code).not.toBe(0);
    expect((await inside("ls -d /volume/.codehub /home/coder/.codehub /home/.codehub")).text).not.toMatch(/^\//m);
    expect((await inside("grep -c NoNewPrivs:.1 /proc/self/status; grep CapEff /proc/self/status")).text).toMatch(
      /^1\nCapEff:\s+0+\n$/,
    );
    if (cluster?.dir === null) return;
    const reach = async (host: string, port: number): Promise<string> => {
      const program = `const s=require("net").connect({host:"${host}",port:${port}});s.setTimeout(1500,()=>{console.log("silence");process.exit()});s.on("connect",()=>{console.log("reached");process.exit()}).on("error",(e)=>{console.log(e.code);process.exit()})`;
      return (await inside(`node -e '${program}'`)).text.trim();
    };
    const neighbour = other.address?.kind === "tcp" ? other.address.host : "";
    const server = new URL(harness.admin.name);
    const services = server.hostname.replace(/\.0\.1$/, ".128.1");
    expect(await reach(neighbour, 8080), "another workspace").toBe("silence");
    expect(await reach(neighbour, 44_100), "another workspace's relay").toBe("silence");
    expect(await reach(server.hostname, Number(server.port)), "the API server").toBe("silence");
    expect(await reach(services, 443), "the API server's service").toBe("silence");
    expect(await reach(server.hostname.replace(/\.1$/, ".11"), 10_250), "the kubelet").toBe("silence");
    expect(await reach("169.254.169.254", 80), "metadata").toBe("silence");
    // It is the network that is shut and not the program that cannot connect.
    expect(await reach("127.0.0.1", 8080)).toBe("reached");
  });

  it("an address that another pod has now is not confirmed", async () => {
    const container = await startWorkspace(harness);
    const { address } = container;
    if (address?.kind !== "tcp") throw new Error("no address");
    expect(await harness.runtime.confirms(address)).toBe(true);
    expect(await harness.runtime.confirms({ ...address, mac: randomUUID() })).toBe(false);
    await harness.runtime.remove(container.id, 1);
    expect(await harness.runtime.confirms(address)).toBe(false);
  });
});

/** Of a namespace that something is missing from, so each has its own. */
describe.skipIf(cluster === null)("a namespace that is not as it should be", () => {
  const quotaOf = (hard: object): object => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "team-a" },
    spec: { hard },
  });
  const within = async (work: (harness: KubernetesHarness) => Promise<void>): Promise<void> => {
    if (cluster === null) return;
    const harness = await kubernetesHarness(cluster);
    try {
      await work(harness);
    } finally {
      await harness.close();
    }
  };
  const spec = () => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    return { name: `ws-${workspaceId}-home-1`, workspaceId, attempt };
  };

  it("without the network policies gets no pod, and no claim that is left over", () =>
    within(async ({ admin, namespace, volumes }) => {
      const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/codehub-jobs`;
      const found = await admin.read<Claim>(path);
      await admin.remove(path, found?.metadata.uid ?? "");
      await expect(volumes.create(spec())).rejects.toThrow(/NetworkPolicy codehub-jobs is not there.*kubernetes print/);
      expect(await volumes.list()).toEqual([]);
    }));

  it("with a full quota refuses with its name, and is asked again later", () =>
    within(async ({ admin, namespace, volumes }) => {
      const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
      await admin.create(path, quotaOf({ persistentvolumeclaims: "0" }));
      await vi.waitFor(
        () =>
          expect(volumes.create(spec())).rejects.toMatchObject({
            reason: "Unreachable",
            message: expect.stringContaining("the quota team-a"),
          }),
        { timeout: 20_000, interval: 200 },
      );
    }));

  it("that loses the owner of its pods loses the pods, never a claim", () =>
    within(async (harness) => {
      const container = await startWorkspace(harness);
      const path = `/api/v1/namespaces/${harness.namespace}/configmaps/codehub`;
      const owner = await harness.admin.read<Claim>(path);
      await harness.admin.remove(path, owner?.metadata.uid ?? "");
      await vi.waitFor(async () => expect(await harness.runtime.inspect(container.workspaceId)).toEqual([]), {
        timeout: 60_000,
        interval: 200,
      });
      expect(await harness.volumes.inspect(container.volume ?? "")).toMatchObject({
        workspaceId: container.workspaceId,
      });
    }));
});
