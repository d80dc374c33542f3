import { expect, it } from "vitest";
import { ANYWHERE } from "./pod-parts.ts";
import { workspacePod } from "./workspace-pod.ts";

interface PodSpec {
  readonly restartPolicy: string;
  readonly securityContext: { readonly fsGroup: number; readonly fsGroupChangePolicy: string };
  readonly initContainers: readonly { readonly name: string; readonly resources: object }[];
  readonly containers: readonly { readonly name: string; readonly resources: object }[];
}

function specOf(): PodSpec {
  const amounts = { cpus: 1, memoryBytes: 1024 ** 3 };
  const spec = {
    workspaceId: "6b1f0a52-7c53-4a0e-9a55-0d4b6a1d2f10",
    attempt: "0d4b6a1d-7c53-4a0e-9a55-6b1f0a522f10",
    volume: "home",
    imageRef: "ide:1",
    hostPort: null,
    ownerId: "9a556b1f-7c53-4a0e-8d4b-6b1f0a522f10",
  };
  const pod = workspacePod(spec, {
    deploymentId: "one",
    owner: {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "codehub",
      uid: "1",
      controller: true,
      blockOwnerDeletion: false,
    },
    placement: ANYWHERE,
    jobImage: "job:1",
    requests: amounts,
    limits: amounts,
    graceSeconds: 10,
    portUrl: null,
    identity: "{}",
  });
  return (pod as unknown as { readonly spec: PodSpec }).spec;
}

it("says for every container, also those before the IDE, how much it asks for and may have: a quota refuses a pod that does not", () => {
  const { initContainers, containers } = specOf();
  expect([...initContainers, ...containers].map(({ name }) => name)).toEqual(["identity", "relay", "ide"]);
  for (const { resources } of [...initContainers, ...containers]) {
    const amounts = { cpu: expect.stringMatching(/^\d+m$/), memory: expect.stringMatching(/^\d+$/) };
    expect(resources).toEqual({ requests: amounts, limits: amounts });
  }
});

it("leaves the owners of a home's files alone when its top folder has the right one", () => {
  expect(specOf().securityContext).toMatchObject({ fsGroup: 1000, fsGroupChangePolicy: "OnRootMismatch" });
});

it("is never started again by the cluster, which would be a second one behind our back", () => {
  expect(specOf().restartPolicy).toBe("Never");
});
