import { OperationFailure } from "#ports/failure.ts";
import { connectedSubnets } from "./connected-subnets.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { bridgePrefix } from "./firewall-rules.ts";
import { DEPLOYMENT, labelFilter, ROLE } from "./labels.ts";
import { containerIn, freeSubnet, NETWORK_POOL, subnetOf } from "./subnets.ts";

export interface WorkspaceNetwork {
  readonly name: string;
  /** The one address in it that a container can have. */
  readonly host: string;
}

/** No port is written like this, and no longer one: names of bridges end after 15 characters. */
export type ApartNetwork = `x${number}`;

const BRIDGE_NAME = "com.docker.network.bridge.name";

/** Somebody else may take the subnet that was just found free; this often it is looked for again. */
const SUBNET_TRIES = 5;

/**
 * A bridge of its own for every running workspace. It belongs to the workspace's host port, which the database lets one
 * workspace have at a time, and it has room for one container: the engine itself refuses a second one. It is kept when
 * the workspace stops, because making one takes longer than starting a container. What is no workspace has networks that belong to
 * no port; the rules go by the beginning of the bridge's name, and so hold for them too.
 */
export async function ensureNetwork(
  engine: Engine,
  deploymentId: string,
  place: number | ApartNetwork,
  index: number,
): Promise<WorkspaceNetwork> {
  const short = deploymentId.replaceAll("-", "");
  const name = `codehub-${short.slice(0, 12)}-${place}`;
  const bridge = `${bridgePrefix(deploymentId)}${place}`;
  const found = await findNetwork(engine, deploymentId, name);
  if (found !== null && (found.bridge === bridge || !(await isRemoved(engine, name)))) return found;
  let subnet = freeSubnet(index, connectedSubnets()) ?? subnetOf(index);
  for (let tries = 1; ; tries++) {
    try {
      await createNetwork(engine, deploymentId, { name, bridge, subnet });
      return { name, host: containerIn(subnet) };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // Another call made it meanwhile.
      const made = /already exists/.test(error.message) ? await findNetwork(engine, deploymentId, name) : null;
      if (made !== null) return made;
      if (!/pool overlaps/i.test(error.message) || tries === SUBNET_TRIES) throw error;
      subnet = await subnetThatIsFree(engine, index);
    }
  }
}

interface FoundNetwork extends WorkspaceNetwork {
  readonly bridge: string | undefined;
}

async function findNetwork(engine: Engine, deploymentId: string, name: string): Promise<FoundNetwork | null> {
  const found = await engine.call<{
    Labels?: Record<string, string>;
    Options?: Record<string, string>;
    IPAM: { Config: { Subnet: string }[] };
  }>("GET", `/networks/${name}`);
  const subnet = found?.Labels?.[DEPLOYMENT] === deploymentId ? found.IPAM.Config[0]?.Subnet : undefined;
  if (subnet === undefined) return null;
  return { name, host: containerIn(subnet), bridge: found?.Options?.[BRIDGE_NAME] };
}

/** One of an earlier version is made anew, unless something still uses it: its bridge has the stricter rules of before. */
async function isRemoved(engine: Engine, name: string): Promise<boolean> {
  try {
    await engine.call("DELETE", `/networks/${name}`);
    return true;
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
}

async function createNetwork(
  engine: Engine,
  deploymentId: string,
  { name, bridge, subnet }: { name: string; bridge: string; subnet: string },
): Promise<void> {
  const body = {
    Name: name,
    CheckDuplicate: true,
    Driver: "bridge",
    EnableIPv6: false,
    IPAM: { Driver: "default", Config: [{ Subnet: subnet }] },
    Options: { [BRIDGE_NAME]: bridge, "com.docker.network.bridge.enable_icc": "false" },
    Labels: { [DEPLOYMENT]: deploymentId, [ROLE]: "network" },
  };
  await engine.need("POST", "/networks/create", { body, timeoutMs: 30_000 });
}

async function subnetThatIsFree(engine: Engine, index: number): Promise<string> {
  const networks = await engine.need<{ IPAM: { Config: { Subnet?: string }[] | null } }[]>("GET", "/networks");
  const inUse = networks.flatMap(({ IPAM }) => (IPAM.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []));
  const subnet = freeSubnet(index, [...inUse, ...connectedSubnets()]);
  if (subnet !== null) return subnet;
  throw new OperationFailure("ActionFailed", `Every network of ${NETWORK_POOL} is in use on this Docker engine.`);
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
