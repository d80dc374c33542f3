import fs from "node:fs";
import path from "node:path";
import type { ApiSettings } from "#api/deps.ts";
import type { Addresses, Config } from "#config/config.ts";
import type { World } from "#ports/world.ts";
import { allowedImages, runningLimits, trashRetentionMs, ttlDefaults } from "./settings.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

export function apiSettings(config: Config, { baseUrl, workspaceBaseUrl }: Addresses, world: World): ApiSettings {
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, "package.json"), "utf8"));
  const dashboard = path.join(ROOT, "dashboard/dist");
  const isProcess = world.runtime.kind === "process";
  return {
    version,
    baseUrl: new URL(baseUrl),
    workspaceBaseUrl,
    trustedProxies: config.TRUSTED_PROXIES,
    behindOwnProxy: config.CONTROL_SOCKET !== null,
    unsafeSingleOrigin: config.UNSAFE_SINGLE_ORIGIN,
    runtimeKind: world.runtime.kind === "simulated" ? "process" : world.runtime.kind,
    trustedSingleUser: isProcess,
    limits: runningLimits(config),
    ttl: ttlDefaults(config),
    trashRetentionMs: trashRetentionMs(config),
    defaultImage: config.DEFAULT_IMAGE,
    images: allowedImages(config),
    metricsToken: config.METRICS_TOKEN,
    dashboardDirectory: fs.existsSync(path.join(dashboard, "index.html")) ? dashboard : null,
  };
}
