import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { type Asked, apiServer, json, refuse } from "../../../test/kubernetes/api-server-stub.ts";
import type { Cluster } from "./cluster.ts";
import { JobPods } from "./job-pods.ts";
import { KubernetesJobLauncher } from "./jobs.ts";
import { DEPLOYMENT, IDENTITY, WORKSPACE } from "./labels.ts";
import { ANYWHERE } from "./pod-parts.ts";
import { Pods } from "./pods.ts";
import { Premises } from "./premises.ts";
import { KubernetesVolumes } from "./volumes.ts";

const deploymentId = "11111111-1111-4111-8111-111111111111";
const workspaceId = "22222222-2222-4222-8222-222222222222";
const NAME = "ws-home";
const CLAIM = {
  metadata: {
    name: NAME,
    uid: "claim",
    resourceVersion: "1",
    labels: { [DEPLOYMENT]: deploymentId, [WORKSPACE]: workspaceId },
    annotations: { [IDENTITY]: JSON.stringify({ workspaceId }) },
  },
};

function adapters(cluster: Cluster) {
  const namespace = "ns";
  const pods = new Pods(cluster, namespace, deploymentId);
  const jobs = new JobPods(
    { deploymentId, jobImage: "job", placement: ANYWHERE },
    pods,
    new Premises(cluster, namespace, null),
  );
  const common = { cluster, namespace, deploymentId, pods, jobs };
  const volumes = new KubernetesVolumes({
    ...common,
    storageClass: null,
    sizeBytes: 1,
    accessMode: "ReadWriteOncePod",
  });
  const launcher = new KubernetesJobLauncher({
    ...common,
    volumes,
    jobImage: "job",
    longestSeconds: 60,
    storeCa: null,
  });
  return { volumes, launcher };
}

/** Which pods were asked for, in the words of the question. */
const listed = (asked: readonly Asked[]): (string | null)[] =>
  asked.filter(({ path }) => path.endsWith("/pods")).map(({ query }) => query.get("labelSelector"));

it("asks for the pods of one workspace when one home goes or is archived: a whole fleet each time would be one list squared", async () => {
  let isGone = false;
  const answer = ({ method, path }: Asked, response: ServerResponse): void => {
    if (method === "DELETE") isGone = true;
    if (path.endsWith("/pods")) json(response, 200, { metadata: { resourceVersion: "1" }, items: [] });
    else if (method === "GET" && isGone) refuse(response, 404, "NotFound", { name: NAME });
    else if (method === "GET" && !path.endsWith(NAME)) refuse(response, 404, "NotFound", { name: "premises" });
    else json(response, 200, CLAIM);
  };
  const { cluster, asked } = await apiServer(answer);
  const { volumes, launcher } = adapters(cluster);
  const launch = {
    request: { kind: "pack" as const, workspaceId },
    labels: { workspaceId, attempt: "a" },
    volume: { name: NAME, access: "read" as const },
    addresses: { ca: null },
  };
  await expect(launcher.launch(launch)).rejects.toThrow(/owns the pods/);
  await volumes.remove(NAME);
  expect(listed(asked)).toEqual([
    expect.stringContaining(`${WORKSPACE}=${workspaceId}`),
    expect.stringContaining(`${WORKSPACE}=${workspaceId}`),
  ]);
});
