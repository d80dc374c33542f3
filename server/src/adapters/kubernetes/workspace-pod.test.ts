import { expect, it } from "vitest";
import type { StartSpec } from "#ports/runtime.ts";
import { ANYWHERE } from "./pod-parts.ts";
import { workspacePod } from "./workspace-pod.ts";

interface PodSpec {
  readonly restartPolicy: string;
  readonly securityContext: { readonly fsGroup: number; readonly fsGroupChangePolicy: string };
  readonly initContainers: readonly { readonly name: string; readonly resources: object }[];
  readonly containers: readonly { readonly name: string; readonly resources: object; readonly command?: string[] }[];
}

function specOf(change: Partial<StartSpec> = {}): PodSpec {
  const amounts = { cpus: 1, memoryBytes: 1024 ** 3 };
  const spec = {
    workspaceId: "6b1f0a52-7c53-4a0e-9a55-0d4b6a1d2f10",
    attempt: "0d4b6a1d-7c53-4a0e-9a55-6b1f0a522f10",
    volume: "home",
    imageRef: "ide:1",
    hostPort: null,
    ownerId: "9a556b1f-7c53-4a0e-8d4b-6b1f0a522f10",
  };
  const pod = workspacePod(
    { ...spec, ...change },
    {
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
      workspaceCommand: ["/bin/ide", "$HOME"],
      portUrl: null,
      identity: "{}",
    },
  );
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

it("runs what the image runs by itself, and names it only where a prelude comes before", () => {
  expect(specOf().containers[0]?.command).toBeUndefined();
  const files = [{ path: "env/prelude", mode: 0o400, content: new Uint8Array() }];
  const command = specOf({ files, prelude: "env/prelude" }).containers[0]?.command ?? [];
  expect(command.slice(0, 2)).toEqual(["/bin/sh", "-c"]);
  // The cluster makes one sign of two, and would put variables in place of names in brackets.
  expect(command[2]).toContain('. "$$CODEHUB_FILES/env/prelude"');
  expect(command.slice(3)).toEqual(["sh", "/bin/ide", "$$HOME"]);
});
