import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { Pod } from "#adapters/kubernetes/objects.ts";
import { freshBucket } from "../data/s3-server.ts";
import { apiAs } from "../e2e/accounts.ts";
import { type Program, startProgram } from "../e2e/program.ts";
import { runInside } from "../runtime/ask.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "./kubernetes-data-plane.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./kubernetes-harness.ts";

const cluster = inject("cluster");
const s3 = inject("s3");

describe.skipIf(cluster === null || cluster.dir === null || s3 === null)("the program on Kubernetes", () => {
  let plane: KubernetesDataPlane;
  let scratch: string;
  let program: Program;
  let api: Client;
  beforeAll(async () => {
    if (cluster === null || s3 === null) return;
    plane = await kubernetesDataPlane(cluster, s3);
    scratch = await mkdtemp(join(tmpdir(), "codehub-kubernetes-"));
    const kubeconfig = join(scratch, "config");
    // JSON is YAML too.
    writeFileSync(kubeconfig, JSON.stringify(plane.harness.kubeconfig), { mode: 0o600 });
    const { endpoint, bucket, credentials } = await freshBucket(plane.access, randomUUID());
    program = await startProgram({
      RUNTIME: "kubernetes",
      KUBERNETES_KUBECONFIG: kubeconfig,
      KUBERNETES_NAMESPACE: plane.harness.namespace,
      KUBERNETES_HOME_SIZE: "64M",
      KUBERNETES_REQUEST_MEMORY: "64M",
      WORKSPACE_MEMORY: "256M",
      WORKSPACE_CPUS: "1",
      DEFAULT_IMAGE: FAKE_IMAGE,
      JOB_IMAGE,
      S3_ENDPOINT: endpoint ?? "",
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? "",
      S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? "",
    });
    api = await apiAs(program.url);
  });
  afterAll(async () => {
    await program?.stop();
    await plane?.close();
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
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
