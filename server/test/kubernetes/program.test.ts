import type { Client } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { Pod } from "#adapters/kubernetes/objects.ts";
import { apiAs } from "../e2e/accounts.ts";
import { runInside } from "../runtime/ask.ts";
import { startOnCluster } from "./cluster-program.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "./kubernetes-data-plane.ts";

const cluster = inject("cluster");
const s3 = inject("s3");

describe.skipIf(cluster === null || cluster.dir === null || s3 === null)("the program on Kubernetes", () => {
  let plane: KubernetesDataPlane;
  let program: Awaited<ReturnType<typeof startOnCluster>>;
  let api: Client;
  beforeAll(async () => {
    if (cluster === null || s3 === null) return;
    plane = await kubernetesDataPlane(cluster, s3);
    program = await startOnCluster(plane);
    api = await apiAs(program.url);
  });
  afterAll(async () => {
    await program?.stop();
    await plane?.close();
  });

  const reaches = (id: string, phase: string): Promise<void> =>
    vi.waitFor(
      async () => {
        const workspace = await api.getWorkspace({ params: { id } });
        expect([workspace.phase, workspace.operation]).toEqual([phase, "NONE"]);
      },
      { timeout: 120_000, interval: 200 },
    );
  const inside = async (id: string, command: string) => {
    const { admin, namespace } = plane.harness;
    const pod = await admin.read<Pod>(`/api/v1/namespaces/${namespace}/pods/ws-${id}`);
    return await runInside({ address: { kind: "tcp", host: pod?.status?.podIP ?? "", port: 8080 } }, command);
  };

  it("takes a home down to an archive and back, also over a crash of the server", async () => {
    const { id } = await api.createWorkspace({ body: { name: "round trip" } });
    await reaches(id, "RUNNING");
    const written = await inside(id, "cd && echo hello > kept && mkdir -m 0500 locked && stat -c '%a %u' kept locked");
    expect(written).toMatchObject({ code: 0 });
    await program.crash();
    await program.start();
    api = await apiAs(program.url);
    await reaches(id, "RUNNING");
    await api.updateWorkspace({ params: { id }, body: { desired_state: "ARCHIVED" } });
    await reaches(id, "ARCHIVED");
    await api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
    await reaches(id, "RUNNING");
    const read = await inside(id, "cd && cat kept && stat -c '%a %u' kept locked");
    expect(read).toEqual({ code: 0, text: `hello\n${written.text}` });
  }, 400_000);
});
