import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { freshBucket, type S3Access } from "../data/s3-server.ts";
import { admin } from "../e2e/program.ts";
import { createEmptyDatabase, startTestServer } from "../postgres/test-server.ts";
import { CHART, Helm } from "./helm.ts";
import { openFront } from "./host-front.ts";
import { reachable } from "./kubernetes-data-plane.ts";
import { JOB_IMAGE } from "./kubernetes-harness.ts";
import { openDatabasePassage } from "./passage.ts";
import { IDE_IMAGE, importServerImages, SERVER_IMAGE, type TAGS } from "./server-images.ts";

const run = promisify(execFile);

type Tag = (typeof TAGS)[number];

/** The chart in a cluster of the run's own, with a database and a store of its own outside of the cluster. */
export interface ChartRelease {
  /** Where people reach it on this machine, whichever pods are behind it. */
  readonly url: string;
  /** Of the workspaces; the release has another one. */
  readonly homes: string;
  /** With the proxy in pods of its own where it is given a tag. */
  readonly install: (tag: Tag, proxyTag?: Tag) => Promise<void>;
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
  let services = { server: "", proxy: "" };
  // As the chart's Ingress has it: workspaces, and the door to them, are the proxy's.
  const front = await openFront(({ host, path }) =>
    /^localhost(:|$)/.test(host) && !path.startsWith("/w/") ? services.server : services.proxy,
  );

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
    install: async (tag, proxyTag) => {
      const image = { repository: SERVER_IMAGE, tag, pullPolicy: "Never" };
      const apart = proxyTag === undefined ? {} : { roles: "apart", proxy: { tag: proxyTag } };
      await helm.upgrade(namespace, { ...values, ...apart, image }).catch(async (error: unknown) => {
        const logs = kubectl("-n", namespace, "logs", "-l", "app.kubernetes.io/name=codehub", "--tail=20");
        throw new Error(`${CHART} could not be installed: ${await logs.catch(String)}`, { cause: error });
      });
      const addressOf = (name: string) =>
        kubectl("-n", namespace, "get", "service", name, "-o", "jsonpath={.spec.clusterIP}");
      const server = await addressOf("codehub");
      services = { server, proxy: proxyTag === undefined ? server : await addressOf("codehub-proxy") };
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
