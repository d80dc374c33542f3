import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { systemClock as clock } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import { type ControlAddress, controlAddresses } from "#config/control-plane.ts";
import type { ControlPoint, Reach } from "#core/reach/reach.ts";

/** A name server that does not answer holds up no start. */
const PATIENCE_MS = 2_000;

/** What workspaces may reach besides the internet, and what they may not even so. */
export const reachOf = (config: Config): Reach => ({
  allowed: config.WORKSPACE_ALLOWED_NETWORKS,
  controlPlane: async () => (config.WORKSPACE_ALLOWED_NETWORKS.length === 0 ? [] : await controlPlane(config)),
});

async function controlPlane(config: Config): Promise<readonly ControlPoint[]> {
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const served = own.map((address) => ({ address, port: config.PORT }));
  return [...served, ...(await Promise.all(controlAddresses(config).map(found))).flat()];
}

async function found({ host, port }: ControlAddress): Promise<readonly ControlPoint[]> {
  if (isIP(host) !== 0) return [{ address: host, port }];
  const late = clock.sleep(PATIENCE_MS).then(() => []);
  const all = await Promise.race([lookup(host, { all: true }), late]).catch(() => []);
  return all.length === 0 ? [{ address: null, port }] : all.map(({ address }) => ({ address, port }));
}
