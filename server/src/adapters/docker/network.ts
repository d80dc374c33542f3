import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { DEPLOYMENT, labelFilter, ROLE } from "./labels.ts";

/** Every bridge of ours begins with this, so that one set of firewall rules covers them all. */
export const BRIDGE_PREFIX = "chw";

/** Set aside for measuring networks (RFC 2544): no home, office or provider uses it. Room for 32768 workspaces. */
export const NETWORK_POOL = "198.18.0.0/15";
const POOL_START = (198 << 24) | (18 << 16);

/** The network of one host port: four addresses, of which exactly one is left for a container. */
export function subnetOf(index: number): string {
  const start = (POOL_START + index * 4) >>> 0;
  return `${start >>> 24}.${(start >>> 16) & 255}.${(start >>> 8) & 255}.${start & 255}/30`;
}

/**
 * A bridge of its own for every running workspace. It belongs to the workspace's host port, which the database lets one
 * workspace have at a time, and it has room for one container: the engine itself refuses a second one. It is kept when
 * the workspace stops, because making one takes longer than starting a container.
 */
export async function ensureNetwork(
  engine: Engine,
  deploymentId: string,
  hostPort: number,
  index: number,
): Promise<string> {
  const short = deploymentId.replaceAll("-", "");
  const name = `codehub-${short.slice(0, 12)}-${hostPort}`;
  const bridge = `${BRIDGE_PREFIX}${short.slice(0, 4)}-${hostPort}`;
  const found = await engine.call<{ Labels?: Record<string, string> }>("GET", `/networks/${name}`);
  if (found?.Labels?.[DEPLOYMENT] === deploymentId) return name;
  const body = {
    Name: name,
    CheckDuplicate: true,
    Driver: "bridge",
    EnableIPv6: false,
    IPAM: { Driver: "default", Config: [{ Subnet: subnetOf(index) }] },
    Options: { "com.docker.network.bridge.name": bridge, "com.docker.network.bridge.enable_icc": "false" },
    Labels: { [DEPLOYMENT]: deploymentId, [ROLE]: "network" },
  };
  try {
    await engine.need("POST", "/networks/create", { body, timeoutMs: 30_000 });
  } catch (error) {
    // Another call made it meanwhile.
    if (!(error instanceof EngineError) || !/already exists/.test(error.message)) throw error;
  }
  return name;
}

/** Networks that no container uses: for those who leave, and for tests. */
export async function removeIdleNetworks(engine: Engine, deploymentId: string): Promise<void> {
  const filters = labelFilter({ [DEPLOYMENT]: deploymentId, [ROLE]: "network" });
  const networks = await engine.need<{ Id: string }[]>("GET", "/networks", { query: { filters } });
  for (const { Id } of networks) {
    await engine.call("DELETE", `/networks/${Id}`).catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
    });
  }
}
