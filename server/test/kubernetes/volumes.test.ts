import { randomUUID } from "node:crypto";
import { describe, inject } from "vitest";
import type { Claim } from "#adapters/kubernetes/objects.ts";
import { volumesSuite } from "../suites/volumes-suite.ts";
import { kubernetesHarness } from "./kubernetes-harness.ts";

const cluster = inject("cluster");

describe.skipIf(cluster === null)("on Kubernetes", () => {
  if (cluster === null) return;
  volumesSuite("kubernetes", async () => {
    const harness = await kubernetesHarness(cluster);
    const { volumes, jobs } = harness;
    const inside = async (name: string, command: string): Promise<number | null> => {
      const path = `/api/v1/namespaces/${harness.namespace}/persistentvolumeclaims/${name}`;
      const claim = await harness.admin.read<Claim>(path);
      const labels = claim?.metadata.labels ?? {};
      const { code } = await jobs.run({
        kind: "look",
        token: randomUUID().slice(0, 8),
        workspaceId: labels["codehub/workspace"] ?? "",
        attempt: labels["codehub/attempt"] ?? "",
        claim: { name, access: "read" },
        container: { command: ["/bin/sh", "-c", command] },
      });
      return code;
    };
    return {
      volumes,
      reopened: async () => harness.as(harness.deploymentId).volumes,
      stranger: async () => harness.as(randomUUID()).volumes,
      hasEmptyHome: async (name) => (await inside(name, '[ -d /volume/home ] && [ -z "$(ls -A /volume/home)" ]')) === 0,
      occupy: async (name) => {
        // The pod is there from the moment it is asked for, whether or not it runs already.
        const running = inside(name, "sleep 1000");
        const ended = running.catch(() => undefined);
        const pod = await untilSeen(async () => (await harness.pods.list({})).find(({ spec }) => uses(spec, name)));
        return async () => {
          await harness.pods.remove(pod.metadata, 1);
          await ended;
        };
      },
      close: harness.close,
    };
  });
});

const uses = (
  spec: { volumes?: readonly { persistentVolumeClaim?: { claimName: string } }[] },
  name: string,
): boolean => spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name) ?? false;

async function untilSeen<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
