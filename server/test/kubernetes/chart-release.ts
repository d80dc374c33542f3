import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { freshBucket, type S3Access } from "../data/s3-server.ts";
import { admin } from "../e2e/program.ts";
import { createEmptyDatabase, startTestServer } from "../postgres/test-server.ts";
import { CHART, Helm } from "./helm.ts";
import { reachable } from "./kubernetes-data-plane.ts";
import { JOB_IMAGE } from "./kubernetes-harness.ts";
import { openDatabasePassage, openPassage } from "./passage.ts";
import { IDE_IMAGE, importServerImages, SERVER_IMAGE, type TAGS } from "./server-images.ts";

const run = promisify(execFile);

/** The chart in a cluster of the run's own, with a database and a store of its own outside of the cluster. */
export interface ChartRelease {
  /** Where people reach it on this machine, whichever pods are behind it. */
  readonly url: string;
  /** Of the workspaces; the release has another one. */
  readonly homes: string;
  readonly install: (tag: (typeof TAGS)[number]) => Promise<void>;
  readonly uninstall: () => Promise<void>;
  /** As an operator with all rights. */
  readonly kubectl: (...args: string[]) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function chartRelease(dir: string, program: string, s3: S3Access): Promise<ChartRelease> {
  const kubeconfig = `${dir}/kubeconfig`;
  const kubectl = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(`${dir}/bin/kubectl`, args, { env: { ...process.env, KUBECONFIG: kubeconfig } });
    return stdout.trim();
  };
  const namespace = `chart-${randomUUID().slice(0, 8)}`;
  const homes = `${namespace}-homes`;
  const host = new URL(await kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")).hostname;

  const [store, database] = await Promise.all([reachable(s3, host), reachableDatabase(host), importServerImages(dir)]);
  const { bucket, endpoint } = await freshBucket(store.access, "");
  let service = "";
  const front = await openPassage("127.0.0.1", () => ({ host: service, port: 80 }));

  await kubectl("create", "namespace", namespace);
  await kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  const secrets = {
    DATABASE_URL: database.url,
    S3_ACCESS_KEY_ID: store.access.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.access.secretAccessKey,
    ADMIN_PASSWORD: admin.password,
  };
  const literals = Object.entries(secrets).map(([name, value]) => `--from-literal=${name}=${value}`);
  await kubectl("-n", namespace, "create", "secret", "generic", "codehub", ...literals);

  const helm = new Helm(program, kubeconfig);
  const values = {
    url: `http://localhost:${front.port}`,
    workspaceUrl: `http://{id}.localhost:${front.port}`,
    store: { endpoint, bucket, networks: [`${host}/32`] },
    workspaces: {
      namespace: homes,
      image: IDE_IMAGE,
      jobImage: JOB_IMAGE,
      homeSize: "256M",
      memory: "1G",
      requestMemory: "64M",
      nodeSelector: { "kubernetes.io/hostname": "node1" },
    },
    env: { ADMIN_USERNAME: admin.username, LOG_LEVEL: "warn" },
  };
  return {
    url: values.url,
    homes,
    kubectl,
    install: async (tag) => {
      const image = { repository: SERVER_IMAGE, tag, pullPolicy: "Never" };
      await helm.upgrade(namespace, { ...values, image }).catch(async (error: unknown) => {
        const logs = kubectl("-n", namespace, "logs", "-l", "app.kubernetes.io/name=codehub", "--tail=20");
        throw new Error(`${CHART} could not be installed: ${await logs.catch(String)}`, { cause: error });
      });
      service = await kubectl("-n", namespace, "get", "service", "codehub", "-o", "jsonpath={.spec.clusterIP}");
    },
    uninstall: () => helm.uninstall(namespace),
    close: async () => {
      await helm.uninstall(namespace).catch(() => undefined);
      for (const passage of [front, store.passage]) await passage[Symbol.asyncDispose]();
      await database.close();
    },
  };
}

/** An empty PostgreSQL, at the address of the nodes' network. */
async function reachableDatabase(host: string): Promise<{ url: string; close: () => Promise<void> }> {
  const server = await startTestServer();
  const passage = await openDatabasePassage(host, (await createEmptyDatabase(server.url)).url);
  return {
    url: passage.url,
    close: async () => {
      await passage[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}
