import { isIPv6 } from "node:net";
import { type Cidr, contains, networkOf, parseCidr, writeCidr } from "./cidr.ts";

export interface AllowedNetwork {
  readonly text: string;
  readonly protocol: "tcp" | "udp";
  readonly network: string;
  readonly ports: { readonly from: number; readonly to: number } | null;
  readonly except: readonly string[];
}

/** What no list opens, and what it is. No two of them share an address. */
export const NEVER_ALLOWED: readonly (readonly [network: string, what: string])[] = [
  ["0.0.0.0/8", "addresses of no machine"],
  ["127.0.0.0/8", "a machine's own loopback"],
  ["100.100.100.200/32", "a cloud's metadata service"],
  ["168.63.129.16/32", "a cloud's service to its machines"],
  ["169.254.0.0/16", "link-local, where clouds have their metadata service"],
  ["192.0.0.192/32", "a cloud's metadata service"],
  ["198.18.0.0/15", "the workspaces' own networks"],
  ["224.0.0.0/3", "multicast and reserved addresses"],
  ["::/96", "a machine's own loopback"],
  ["::ffff:0.0.0.0/96", "IPv4 in other clothes"],
  ["64:ff9b::/96", "IPv4 in other clothes"],
  ["fd00:ec2::/32", "a cloud's metadata service"],
  ["fd20:ce::254/128", "a cloud's metadata service"],
  ["fe80::/10", "link-local"],
  ["ff00::/8", "multicast"],
];

const REFUSED = NEVER_ALLOWED.map(([text, what]) => ({ cidr: parseCidr(text) as Cidr, text, what }));

const FORM = /^(?:(tcp|udp):)?(?:\[([^\]]*)\]|([^[\]]*?))(\/\d+)?(?::([^:/[\]]*))?$/;

type Outcome = { readonly found: AllowedNetwork } | { readonly problem: string };

/** The list as an operator writes it, or every mistake in it. */
export function parseAllowedNetworks(text: string): {
  readonly networks: readonly AllowedNetwork[];
  readonly problems: readonly string[];
} {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  const outcomes = entries.map(parseEntry);
  return {
    networks: outcomes.flatMap((outcome) => ("found" in outcome ? [outcome.found] : [])),
    problems: outcomes.flatMap((outcome, index) =>
      "problem" in outcome ? [`${entries[index]}: ${outcome.problem}`] : [],
    ),
  };
}

function parseEntry(entry: string): Outcome {
  const plain = withoutBrackets(entry);
  if (plain === null)
    return { problem: "an IPv6 address without a prefix stands in brackets, as in [fd00:12::7]:443." };
  const [, protocol = "tcp", bracketed, bare = "", prefix = "", port] = FORM.exec(plain) ?? [];
  const cidr = parseCidr(`${bracketed ?? bare}${prefix}`);
  if (cidr === null) return { problem: "there is no such address or network; names are not taken, only addresses." };
  const exact = networkOf(cidr);
  if (exact.start !== cidr.start) {
    return { problem: `the address has bits beyond its prefix; the network would be ${writeCidr(exact)}.` };
  }
  const ports = portsOf(port);
  if (ports === undefined) return { problem: "a port is a number from 1 to 65535, or two of them as in 8000-8100." };
  const refused = REFUSED.find((each) => contains(each.cidr, cidr));
  if (refused !== undefined) return { problem: `never allowed: in ${refused.text} is ${refused.what}.` };
  const except = REFUSED.filter((each) => contains(cidr, each.cidr)).map((each) => writeCidr(each.cidr));
  return {
    found: { text: entry, protocol: protocol === "udp" ? "udp" : "tcp", network: writeCidr(cidr), ports, except },
  };
}

/** Colons belong to the address or come before a port: with a prefix or brackets it is plain which, else nobody can say. */
function withoutBrackets(entry: string): string | null {
  const [, protocol = "", rest = ""] = /^((?:tcp|udp):)?(.*)$/.exec(entry) ?? [];
  const [, address = "", prefix = "", port = ""] = /^([0-9a-f.:]*:[0-9a-f.:]*)(\/\d+)(:.*)?$/i.exec(rest) ?? [];
  if (address !== "") return `${protocol}[${address}]${prefix}${port}`;
  return isIPv6(rest) || isIPv6(rest.replace(/:[^:]*$/, "")) ? null : entry;
}

function portsOf(text: string | undefined): AllowedNetwork["ports"] | undefined {
  if (text === undefined) return null;
  const [, first = "", last = first] = /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  return from >= 1 && from <= to && to <= 65_535 ? { from, to } : undefined;
}

/** What is allowed and works, but is less than was listed. */
export function reachWarnings(config: {
  readonly WORKSPACE_ALLOWED_NETWORKS: readonly AllowedNetwork[];
  readonly localWorkspaces: boolean;
}): readonly string[] {
  const { WORKSPACE_ALLOWED_NETWORKS: networks, localWorkspaces } = config;
  if (localWorkspaces) {
    return networks.length === 0
      ? []
      : [
          "WORKSPACE_ALLOWED_NETWORKS changes nothing here: workspaces that are processes reach what this machine reaches.",
        ];
  }
  return networks
    .filter(({ except }) => except.length > 0)
    .map(({ text, except }) => `WORKSPACE_ALLOWED_NETWORKS lists ${text}: ${except.join(", ")} in it stays refused.`);
}
