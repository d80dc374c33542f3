import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterAll, describe, expect, inject } from "vitest";
import type { S3StoreOptions } from "#adapters/s3/client.ts";
import { parseAllowedNetworks } from "#config/allowed-networks.ts";
import { gitAvailable } from "../git/repositories.ts";
import { sshdAvailable } from "../git/ssh-server.ts";
import { type Place, plantInHome, type Story } from "../stories/places.ts";
import { repositoryStories } from "../stories/repository-stories.ts";
import { archiveHolds, filesHolding, heldBy, isArchive } from "../stories/search.ts";
import { startOnCluster } from "./cluster-program.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "./kubernetes-data-plane.ts";
import { addressOf } from "./private-cluster.ts";

const cluster = inject("cluster");
const s3 = inject("s3");

interface Kept {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** What the cluster tells whoever may ask for everything: what was given in Secrets is gone once a pod has read it. */
const objects = ({ harness: { admin, namespace } }: KubernetesDataPlane): Place => ({
  name: "objects of the cluster",
  plant: async (control) => {
    const stringData = { planted: control };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "planted" }, stringData };
    await admin.create(`/api/v1/namespaces/${namespace}/secrets`, secret);
  },
  find: async (secrets) => {
    const kinds = ["secrets", "pods", "configmaps", "persistentvolumeclaims", "events"];
    const all = await Promise.all(kinds.map((kind) => admin.list<Kept>(`/api/v1/namespaces/${namespace}/${kind}`, {})));
    const shown = all.flat().map(({ metadata, data = {}, ...rest }) => {
      const values = Object.values(data).map((value) => Buffer.from(value, "base64").toString("latin1"));
      return { name: metadata.name, text: JSON.stringify([metadata, data, rest, values]) };
    });
    return shown.filter(({ text }) => heldBy(text, secrets).length > 0).map(({ name }) => name);
  },
});

/** Nodes with their containers and logs, and the disks of homes. A deleted object stays in the store's own file until that is compacted. */
const disks = (story: Story, folder: string): Place => ({
  name: "disks of the cluster",
  plant: plantInHome(story),
  find: (secrets) => filesHolding(folder, story.marker, secrets, ["etcd"]),
});

const archives = (story: Story, { bucket, endpoint, credentials, region }: S3StoreOptions): Place => ({
  name: "archives",
  plant: plantInHome(story),
  find: async (secrets) => {
    const access = credentials === null ? {} : { credentials };
    const client = new S3Client({ endpoint: endpoint ?? "", ...access, region, forcePathStyle: true });
    try {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      const held: string[] = [];
      for (const { Key = "" } of Contents.filter((object) => isArchive(object.Key ?? ""))) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
        if (archiveHolds((await Body?.transformToByteArray()) ?? new Uint8Array(), secrets)) held.push(Key);
      }
      return held;
    } finally {
      client.destroy();
    }
  },
});

// The stories look into the disks, so the cluster has to be on this machine.
const usable = cluster !== null && cluster.dir !== null && s3 !== null && gitAvailable() && sshdAvailable();
describe.runIf(usable)("on Kubernetes", () => {
  if (cluster === null || s3 === null) return;
  let plane: KubernetesDataPlane | null = null;
  let store: S3StoreOptions | null = null;
  afterAll(async () => {
    await plane?.close();
  });
  repositoryStories("kubernetes", addressOf(cluster), {
    isSlow: true,
    start: async (environment) => {
      const { networks, problems } = parseAllowedNetworks(environment["WORKSPACE_ALLOWED_NETWORKS"] ?? "");
      expect(problems).toEqual([]);
      plane = await kubernetesDataPlane(cluster, s3, networks);
      const program = await startOnCluster(plane, environment);
      ({ store } = program);
      return program;
    },
    places: (story) => {
      if (plane === null || store === null) throw new Error("the program was not started");
      return [objects(plane), disks(story, cluster.dir ?? ""), archives(story, store)];
    },
  });
});
