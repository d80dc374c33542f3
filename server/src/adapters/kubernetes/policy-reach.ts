import { BlockList, isIP, isIPv6 } from "node:net";
import type { AllowedNetwork, ControlPoint } from "#core/reach/reach.ts";

export interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

export interface EgressRule {
  readonly to?: readonly { readonly ipBlock?: IpBlock }[];
  readonly ports?: readonly {
    readonly protocol?: string;
    readonly port?: number | string;
    readonly endPort?: number;
  }[];
}

/** Where clouds tell their machines who they are, and give them keys. */
const METADATA = [
  "169.254.169.254",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
];
const HTTP = 80;

/** One entry of the list as a rule of a policy. */
export function egressTo({ protocol, network, ports, except }: AllowedNetwork): EgressRule {
  const range = ports === null ? {} : { port: ports.from, ...(ports.to === ports.from ? {} : { endPort: ports.to }) };
  return {
    to: [{ ipBlock: { cidr: network, ...(except.length === 0 ? {} : { except }) } }],
    ports: [{ protocol: protocol.toUpperCase(), ...range }],
  };
}

/** What is listed and not in the policy, as it is listed. */
export function missingIn(egress: readonly EgressRule[], allowed: readonly AllowedNetwork[]): readonly string[] {
  const there = new Set(egress.flatMap(writtenOut));
  return allowed.filter((each) => !writtenOut(egressTo(each)).every((one) => there.has(one))).map(({ text }) => text);
}

/** What such a policy lets a pod reach that no list may open; null when there is nothing of it. */
export function neverAllowedIn(egress: readonly EgressRule[], controlPlane: readonly ControlPoint[]): string | null {
  const metadata = METADATA.find((address) => egress.some((rule) => reaches(rule, address, HTTP)));
  if (metadata !== undefined) return `${metadata}, the metadata service of a cloud`;
  // To the internet the control plane may well belong, and is then reached as everything there is.
  const listed = egress.map((rule) => ({ ...rule, to: (rule.to ?? []).filter((peer) => !isInternet(peer.ipBlock)) }));
  const own = controlPlane.find(
    ({ address, port }) => address !== null && listed.some((rule) => reaches(rule, address, port)),
  );
  return own === undefined ? null : `${own.address} at port ${own.port}, a part of the control plane`;
}

const isInternet = (block: IpBlock | undefined): boolean => block?.cidr === "0.0.0.0/0" || block?.cidr === "::/0";

function reaches({ to = [], ports }: EgressRule, address: string, port: number): boolean {
  const atPort =
    ports === undefined ||
    ports.some(({ protocol = "TCP", port: from, endPort }) => {
      if (protocol !== "TCP") return false;
      // A port may have a name, which leads anywhere.
      return typeof from !== "number" || (from <= port && port <= (endPort ?? from));
    });
  return atPort && to.some(({ ipBlock }) => ipBlock !== undefined && isIn(ipBlock, address));
}

function isIn({ cidr, except = [] }: IpBlock, address: string): boolean {
  // A list of Node's takes an IPv4 address for a part of IPv6, by which every one would be in ::/0.
  if (isIPv6(address) !== cidr.includes(":")) return false;
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  return listOf([cidr]).check(address, family) && !listOf(except).check(address, family);
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix = ""] = network.split("/");
    if (isIP(address) !== 0) list.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return list;
}

/** Each network and port of a rule by itself, written in one way. */
const writtenOut = ({ to = [], ports = [] }: EgressRule): string[] =>
  to.flatMap(({ ipBlock }) =>
    ports.map(({ protocol = "TCP", port = "every", endPort = port }) =>
      [canonical(ipBlock?.cidr ?? ""), protocol, port, endPort].join(" "),
    ),
  );

function canonical(cidr: string): string {
  const [address = "", prefix = ""] = cidr.split("/");
  return isIPv6(address) ? `${new URL(`http://[${address}]`).hostname}/${prefix}` : cidr;
}
