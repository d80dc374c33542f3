import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3StoreOptions } from "#adapters/s3/client.ts";
import { freshBucket } from "../data/s3-server.ts";
import { type Program, startProgram } from "../e2e/program.ts";
import type { KubernetesDataPlane } from "./kubernetes-data-plane.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./kubernetes-harness.ts";

type Environment = Readonly<Record<string, string>>;

/** What the program is told to run beside a cluster, with the rights that its manifests give it, and small homes. */
export interface ClusterPlace extends AsyncDisposable {
  readonly environment: Environment;
  /** Of it, what names the archive store. */
  readonly storeEnvironment: Environment;
  /** A bucket of its own. */
  readonly store: S3StoreOptions;
}

export async function placeOnCluster(plane: KubernetesDataPlane): Promise<ClusterPlace> {
  const scratch = await mkdtemp(join(tmpdir(), "codehub-kubernetes-"));
  const kubeconfig = join(scratch, "config");
  // JSON is YAML too.
  await writeFile(kubeconfig, JSON.stringify(plane.harness.kubeconfig), { mode: 0o600 });
  const store = await freshBucket(plane.access, randomUUID());
  const { endpoint, bucket, credentials } = store;
  const storeEnvironment = {
    S3_ENDPOINT: endpoint ?? "",
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? "",
    S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? "",
  };
  return {
    store,
    storeEnvironment,
    environment: {
      ...storeEnvironment,
      RUNTIME: "kubernetes",
      KUBERNETES_KUBECONFIG: kubeconfig,
      KUBERNETES_NAMESPACE: plane.harness.namespace,
      KUBERNETES_HOME_SIZE: "64M",
      KUBERNETES_REQUEST_MEMORY: "64M",
      WORKSPACE_MEMORY: "256M",
      WORKSPACE_CPUS: "1",
      DEFAULT_IMAGE: FAKE_IMAGE,
      KUBERNETES_WORKSPACE_COMMAND: "node /fake-ide.mjs 8080",
      JOB_IMAGE,
    },
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  };
}

export interface ClusterProgram
  extends Pick<Program, "url" | "dataDir" | "said" | "crash" | "crashServer" | "start" | "stop">,
    Pick<ClusterPlace, "store"> {}

/** The whole program beside a cluster. */
export async function startOnCluster(
  plane: KubernetesDataPlane,
  environment: Environment = {},
): Promise<ClusterProgram> {
  const place = await placeOnCluster(plane);
  const program = await startProgram({ ...place.environment, ...environment });
  return {
    store: place.store,
    url: program.url,
    dataDir: program.dataDir,
    said: program.said,
    crash: program.crash,
    crashServer: program.crashServer,
    start: program.start,
    stop: async () => {
      await program.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}
