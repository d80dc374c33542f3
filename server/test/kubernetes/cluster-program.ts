import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshBucket } from "../data/s3-server.ts";
import { type Program, startProgram } from "../e2e/program.ts";
import type { KubernetesDataPlane } from "./kubernetes-data-plane.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./kubernetes-harness.ts";

/** The whole program beside a cluster, with the rights that its manifests give it, small homes and a bucket of its own. */
export async function startOnCluster(
  plane: KubernetesDataPlane,
  environment: Readonly<Record<string, string>> = {},
): Promise<Pick<Program, "url" | "crash" | "crashServer" | "start" | "stop">> {
  const scratch = await mkdtemp(join(tmpdir(), "codehub-kubernetes-"));
  const kubeconfig = join(scratch, "config");
  // JSON is YAML too.
  await writeFile(kubeconfig, JSON.stringify(plane.harness.kubeconfig), { mode: 0o600 });
  const { endpoint, bucket, credentials } = await freshBucket(plane.access, randomUUID());
  const program = await startProgram({
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
    ...environment,
  });
  return {
    url: program.url,
    crash: program.crash,
    crashServer: program.crashServer,
    start: program.start,
    stop: async () => {
      await program.stop();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
