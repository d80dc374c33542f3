import type { ContainerSeen } from "#core/rows/observation.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { World } from "#ports/world.ts";
import { ARCHIVE_FACTS, AT_REST } from "../../test/fixtures/workspace.ts";

const nothing = (): Promise<never> => Promise.reject(new Error("not part of this bench"));

/** A world that answers at once with exactly what the rows say: what is left to measure is ours and PostgreSQL's. */
export function idleWorld(active: readonly Workspace[]): World {
  const containers = new Map(active.map((row) => [row.id, containerOf(row)]));
  const volumes = active.map((row) => ({ name: row.homeVolume ?? "", workspaceId: row.id, attempt: row.opId ?? "" }));
  const byName = new Map(volumes.map((volume) => [volume.name, volume]));
  return {
    runtime: {
      kind: "simulated",
      takes: { hostName: false, size: false, init: false, files: false, prelude: false, pullCredential: false },
      usage: null,
      homeBytes: null,
      lookIntoHome: null,
      emptyInHome: null,
      hostPorts: null,
      engineId: async () => "bench",
      list: async () => [...containers.values()],
      inspect: async (id) => [containers.get(id)].filter((one) => one !== undefined),
      ensureImage: async () => {},
      start: nothing,
      answers: async () => true,
      confirms: () => true,
      remove: async (id) => {
        for (const [workspace, container] of containers) if (container.id === id) containers.delete(workspace);
      },
      giveUp: null,
      logs: async () => "",
      portAddress: async () => null,
      listening: async () => [],
      watch: (_onHint, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    },
    volumes: {
      list: async () => volumes,
      inspect: async (name) => byName.get(name) ?? null,
      create: nothing,
      grow: null,
      seal: nothing,
      identity: nothing,
      remove: nothing,
      freeSpace: async () => ({ freeBytes: 1e12, totalBytes: 1e12 }),
    },
    archives: {
      storeId: async () => "bench",
      head: async () => ({ sizeBytes: ARCHIVE_FACTS.sizeBytes, meta: null }),
      put: nothing,
      putMeta: nothing,
      get: nothing,
      remove: nothing,
      list: async () => [],
      abortStaleUploads: async () => 0,
      readGeneration: async () => 0,
      writeGeneration: async () => {},
    },
    setup: { prepare: nothing, check: nothing },
    jobs: {
      archive: nothing,
      archiveEmpty: nothing,
      restore: nothing,
      verify: nothing,
      find: async () => [],
      end: async () => {},
    },
  };
}

function containerOf(row: Workspace): ContainerSeen {
  const { endpoint } = AT_REST.RUNNING();
  const containerId = row.endpoint?.containerId ?? endpoint?.containerId ?? "";
  return {
    id: containerId,
    workspaceId: row.id,
    volume: row.homeVolume,
    attempt: row.endpoint?.attempt ?? null,
    state: "running",
    address: row.endpoint?.address ?? null,
    exitCode: null,
  };
}
