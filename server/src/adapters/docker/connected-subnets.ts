import { readFileSync } from "node:fs";

/** The kernel's routes, in the network that this process is in; also those of bridges that nothing is plugged into now. */
const ROUTES = "/proc/net/route";

/** The subnets that an interface of this machine is in. Another engine may use some that ours does not know of. */
export function connectedSubnets(): string[] {
  try {
    return subnetsIn(readFileSync(ROUTES, "utf8"));
  } catch {
    return [];
  }
}

export function subnetsIn(routes: string): string[] {
  const rows = routes.split("\n").slice(1, -1);
  return rows.flatMap((line) => {
    const [, destination = "", gateway = "", , , , , mask = ""] = line.split("\t");
    const direct = /^0+$/.test(gateway) && !/^0+$/.test(mask);
    return direct ? [`${bytesOf(destination).join(".")}/${prefixOf(bytesOf(mask))}`] : [];
  });
}

/** Written as a number of this machine, which has its lowest byte first. */
const bytesOf = (hex: string): number[] => [...Buffer.from(hex, "hex")].reverse();

const prefixOf = (mask: readonly number[]): number =>
  mask.map((byte) => byte.toString(2).replaceAll("0", "").length).reduce((sum, bits) => sum + bits, 0);
