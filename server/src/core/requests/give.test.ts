import { expect, test } from "vitest";
import type { Workspace } from "#core/rows/workspace.ts";
import { ATTEMPT, conditions, NOW, VOLUME, workspace } from "../../../test/fixtures/workspace.ts";
import { isAtRest } from "./give.ts";

const onDisk: Partial<Workspace> = {
  desiredState: "STANDBY",
  homeVolume: VOLUME,
  conditions: conditions({ "infra.container_present": "false", "storage.volume_ready": "true" }),
};
const endpoint = { containerId: "c", attempt: ATTEMPT, address: { kind: "socket", path: "/s" } } as never;

test.each<[string, Partial<Workspace>, boolean]>([
  ["nothing but a row", { desiredState: "ARCHIVED" }, true],
  ["a home on disk that no container has", onDisk, true],
  ["the same in the trash", { ...onDisk, desiredState: "DELETED", deletedAt: NOW }, true],
  ["one that is requested to run", { ...onDisk, desiredState: "RUNNING" }, false],
  ["one that never ran and is requested to", { desiredState: "RUNNING" }, false],
  ["a container that is there", { ...onDisk, conditions: conditions({ "infra.container_present": "true" }) }, false],
  [
    "nobody knows of a container",
    { ...onDisk, conditions: conditions({ "infra.container_present": "unknown" }) },
    false,
  ],
  ["nobody has looked yet", { ...onDisk, conditions: {} }, false],
  ["an operation", { ...onDisk, operation: "ARCHIVING" }, false],
  ["an endpoint", { ...onDisk, endpoint }, false],
  [
    "deleted while it ran",
    {
      ...onDisk,
      desiredState: "DELETED",
      deletedAt: NOW,
      conditions: conditions({ "infra.container_present": "true" }),
    },
    false,
  ],
])("%s: at rest %j %j", (_name, overrides, rests) => expect(isAtRest(workspace(overrides))).toBe(rests));
