import type { PostgresRequestStore } from "#adapters/postgres/stores/request-store.ts";
import type { PostgresViews } from "#adapters/postgres/stores/views.ts";
import { systemIds as ids } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import type { World } from "#ports/world.ts";
import { WorkspaceRequests } from "#requests/workspace-requests.ts";
import { allowedImages, homeSizes, keepAwakeMaxMs, runningLimits } from "./settings.ts";

export interface RequestParts {
  readonly requestStore: PostgresRequestStore;
  readonly views: PostgresViews;
  readonly world: Pick<World, "runtime" | "volumes">;
}

/** What people can request, by API or by visit: the same rules in whichever process passes it on. */
export function openRequests(config: Config, { requestStore, views, world }: RequestParts): WorkspaceRequests {
  // Processes that all run as one system user protect nobody from anybody.
  const singleUserOnly = world.runtime.kind === "process" && process.getuid?.() !== 0;
  return new WorkspaceRequests({
    requestStore,
    views,
    limits: runningLimits(config),
    images: allowedImages(config),
    homeSizes: homeSizes(config, world),
    keepAwakeMaxMs: keepAwakeMaxMs(config),
    addressForm: config.WORKSPACE_ADDRESS,
    ids,
    singleUserOnly,
  });
}
