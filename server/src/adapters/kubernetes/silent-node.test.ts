import { expect, it } from "vitest";
import type { Meta, Pod, PodStatus } from "./objects.ts";
import { silentNodeOf } from "./silent-node.ts";

const NOW = Date.parse("2026-11-17T16:00:00Z");
const ready = (pod: string, containers: string): NonNullable<PodStatus["conditions"]> => [
  { type: "Ready", status: pod },
  { type: "ContainersReady", status: containers },
];
const pod = (status: PodStatus, metadata: Partial<Meta> = {}, nodeName?: string): Pod => ({
  metadata: { name: "ws-1", uid: "u", resourceVersion: "1", ...metadata },
  spec: nodeName === undefined ? {} : { nodeName },
  status,
});

it.each([
  ["runs", pod({ phase: "Running", conditions: ready("True", "True") }, {}, "n"), null],
  [
    "runs on a node that the cluster has lost",
    pod({ phase: "Running", conditions: ready("False", "True") }, {}, "n"),
    "n",
  ],
  ["is not ready by its own word", pod({ phase: "Running", conditions: ready("False", "False") }, {}, "n"), null],
  ["waits for a node", pod({ phase: "Pending" }), null],
  [
    "is to end, with time left",
    pod({ phase: "Running", conditions: ready("True", "True") }, { deletionTimestamp: "2026-11-17T15:59:30Z" }, "n"),
    null,
  ],
  [
    "should have ended long ago, and had not even begun",
    pod({ phase: "Pending" }, { deletionTimestamp: "2026-11-17T15:58:00Z" }, "n"),
    "n",
  ],
  [
    "has ended, and is held by a finalizer",
    pod({ phase: "Failed", conditions: ready("False", "False") }, { deletionTimestamp: "2026-11-17T15:00:00Z" }, "n"),
    null,
  ],
])("a pod that %s", (_, one, node) => {
  expect(silentNodeOf(one, NOW)).toBe(node);
});
