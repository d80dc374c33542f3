import { BlockList } from "node:net";

/** Set aside for measuring networks (RFC 2544): no home, office or provider uses it. Room for 32768 workspaces. */
export const NETWORK_POOL = "198.18.0.0/15";
const POOL_START = (198 << 24) | (18 << 16);
const POOL_SIZE = 32_768;

/** Four addresses of the pool, of which exactly one is left for a container. */
export function subnetOf(index: number): string {
  return `${startOf(index)}/30`;
}

/** The address in such a subnet that is left for a container: the engine takes the one before it for the host. */
export function containerIn(subnet: string): string {
  return subnet.replace(/(\d+)\/30$/, (_, start: string) => String(Number(start) + 2));
}

/**
 * The first subnet from this index on, and around, that shares no address with any of those in use. Another server on
 * the same engine counts its ports from elsewhere and keeps networks of its own. Null when the pool is used up.
 */
export function freeSubnet(index: number, inUse: readonly string[]): string | null {
  const taken = new BlockList();
  for (const subnet of inUse) {
    const [address, prefix] = subnet.split("/");
    if (address !== undefined && prefix !== undefined && !address.includes(":"))
      taken.addSubnet(address, Math.min(Number(prefix), 30));
  }
  for (let step = 0; step < POOL_SIZE; step++) {
    const candidate = (index + step) % POOL_SIZE;
    if (!taken.check(startOf(candidate))) return subnetOf(candidate);
  }
  return null;
}

function startOf(index: number): string {
  const start = (POOL_START + index * 4) >>> 0;
  return `${start >>> 24}.${(start >>> 16) & 255}.${(start >>> 8) & 255}.${start & 255}`;
}
