import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ApiSettings } from "#api/deps.ts";
import type { Addresses, Config } from "#config/config.ts";
import type { World } from "#ports/world.ts";
import { programVersion } from "./program-version.ts";
import {
  allowedImages,
  homeSizes,
  portSharing,
  runningLimits,
  trashRetentionMs,
  ttlDefaults,
  usageRetentionMs,
} from "./settings.ts";

const DASHBOARD = new URL("../../../dashboard/dist", import.meta.url);

export function apiSettings(config: Config, { baseUrl, workspaceBaseUrl }: Addresses, world: World): ApiSettings {
  const dashboard = fileURLToPath(DASHBOARD);
  const isProcess = world.runtime.kind === "process";
  return {
    version: programVersion(),
    baseUrl: new URL(baseUrl),
    workspaceBaseUrl,
    newAddress: config.WORKSPACE_ADDRESS,
    trustedProxies: config.TRUSTED_PROXIES,
    behindOwnProxy: config.CONTROL_SOCKET !== null,
    unsafeSingleOrigin: config.UNSAFE_SINGLE_ORIGIN,
    runtimeKind: world.runtime.kind === "simulated" ? "process" : world.runtime.kind,
    trustedSingleUser: isProcess,
    lacks: world.runtime.lacks ?? [],
    ownPorts: world.runtime.ownPorts ?? [],
    portSharing: portSharing(config),
    limits: runningLimits(config),
    ttl: ttlDefaults(config),
    trashRetentionMs: trashRetentionMs(config),
    usageRetentionMs: usageRetentionMs(config),
    homeSizes: homeSizes(config, world),
    defaultImage: config.DEFAULT_IMAGE,
    images: allowedImages(config),
    gitHttpHosts: config.GIT_HTTP_HOSTS,
    metricsToken: config.METRICS_TOKEN,
    dashboardDirectory: fs.existsSync(path.join(dashboard, "index.html")) ? dashboard : null,
  };
}
