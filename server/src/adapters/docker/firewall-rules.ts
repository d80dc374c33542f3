import { createHash } from "node:crypto";
import type { AllowedNetwork, ControlPoint } from "#core/reach/reach.ts";
import { NETWORK_POOL } from "./subnets.ts";

/** Bridges begin with it and go on with their port: no other deployment's do, so each has rules of its own. */
export const bridgePrefix = (deploymentId: string): string =>
  `cw${createHash("sha256").update(deploymentId).digest("hex").slice(0, 8)}`;

/** So did bridges of earlier versions, which told deployments apart by four characters. They may reach nothing that is listed. */
const FORMER_BRIDGES = "chw";
const formerPrefix = (deploymentId: string): string =>
  `${FORMER_BRIDGES}${deploymentId.replaceAll("-", "").slice(0, 4)}-`;

const FORMER_TABLE = "table inet codehub\ndelete table inet codehub\n";

/**
 * For a shell on the engine's host: sets the rules in one transaction, so that there is no moment without. The table of earlier
 * versions goes with it once no bridge of theirs is left, whoever's that is: until then somebody may need it.
 */
export const SET_RULES = `rules=$0
set -- /sys/class/net/${FORMER_BRIDGES}*
[ -e "$1" ] || rules="$rules
${FORMER_TABLE}"
nft "$rules"`;

/** Everything that is somebody's own: the house's machines, the engine's other networks, the metadata of clouds. */
const PRIVATE_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.168.0.0/16",
  NETWORK_POOL,
  "224.0.0.0/3",
].join(", ");
const PRIVATE_V6 = "::/96, ::ffff:0:0/96, 64:ff9b::/96, fc00::/7, fe80::/10, ff00::/8";

/** An engine that listens for everybody does so here, also where CodeHub reaches it by a socket. */
const ENGINE_PORTS = [2375, 2376];

/**
 * What a bridge of its own does not keep apart: the engine drops traffic between bridges, but lets a container reach every
 * service of its host, the local network and a cloud's metadata address, and forgets its rules when a firewall is
 * reloaded. These rules live in a table of this deployment's own, which neither the engine nor a firewall manager nor
 * another deployment touches, and a drop there is final. A workspace may reach the internet, name servers and what is
 * listed, and answer who connected to it; nothing else.
 */
export function firewallRules(
  deploymentId: string,
  allowed: readonly AllowedNetwork[],
  controlPlane: readonly ControlPoint[],
): string {
  const table = `inet codehub-${deploymentId}`;
  const [ours, former] = [`"${bridgePrefix(deploymentId)}*"`, `"${formerPrefix(deploymentId)}*"`];
  return `table ${table}
delete table ${table}
table ${table} {
  chain beyond {
    ip daddr { ${PRIVATE_V4} } drop
    ip6 daddr { ${PRIVATE_V6} } drop
  }
  chain leaving {
    ct state established,related accept
    meta l4proto { tcp, udp } th dport 53 accept
${lines(controlPlane.map(refusal))}${lines(allowed.map(acceptance))}    goto beyond
  }
  chain confined {
    ct state established,related accept
    meta l4proto { tcp, udp } th dport 53 accept
    goto beyond
  }
  chain host {
    ct state established,related accept
    tcp dport { ${[...new Set([...ENGINE_PORTS, ...controlPlane.map(({ port }) => port)])].join(", ")} } drop
${lines(allowed.filter(isOneService).map(acceptance))}    drop
  }
  chain closed {
    ct state established,related accept
    drop
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
    oifname ${ours} ct state new drop
    oifname ${former} ct state new drop
    iifname ${ours} goto leaving
    iifname ${former} goto confined
  }
  chain input {
    type filter hook input priority -10; policy accept;
    iifname ${ours} goto host
    iifname ${former} goto closed
  }
}
`;
}

const lines = (rules: readonly string[]): string => rules.map((rule) => `    ${rule}\n`).join("");
const familyOf = (address: string): "ip" | "ip6" => (address.includes(":") ? "ip6" : "ip");

/** Where its name was not found the port is refused in every listed network, as if none were listed. */
const refusal = ({ address, port }: ControlPoint): string =>
  address === null ? `tcp dport ${port} goto beyond` : `${familyOf(address)} daddr ${address} tcp dport ${port} drop`;

function acceptance({ protocol, network, ports, except }: AllowedNetwork): string {
  const family = familyOf(network);
  const without = except.length === 0 ? "" : ` ${family} daddr != { ${except.join(", ")} }`;
  const service = ports === null ? `meta l4proto ${protocol}` : `${protocol} dport ${ports.from}-${ports.to}`;
  return `${family} daddr ${network}${without} ${service} accept`;
}

/**
 * A service of the engine's host itself is reached only where an entry names exactly one address and one port: who lists a
 * network thinks of the other machines in it.
 */
const isOneService = ({ network, ports }: AllowedNetwork): boolean =>
  ports !== null && ports.from === ports.to && network.endsWith(familyOf(network) === "ip" ? "/32" : "/128");
