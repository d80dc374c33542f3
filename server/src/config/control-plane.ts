import { isIP } from "node:net";
import type { AllowedNetwork } from "./allowed-networks.ts";
import { contains, isOneAddress, parseCidr } from "./cidr.ts";

/** Where a part of the control plane is, as the configuration says it. */
export interface ControlAddress {
  readonly variable: string;
  readonly host: string;
  readonly port: number;
}

interface Named {
  readonly DATABASE_URL: string | null;
  readonly REDIS_URL: string | null;
  readonly DOCKER_HOST: string;
  readonly KUBERNETES_SERVICE_HOST: string | null;
  readonly KUBERNETES_SERVICE_PORT: number;
}

const PORTS: Readonly<Record<string, number>> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
  "rediss:": 6379,
  "tcp:": 2375,
};

/** Database, Redis, engine and API server, as far as they are reached over a network. */
export function controlAddresses(config: Named): readonly ControlAddress[] {
  const { DATABASE_URL, REDIS_URL, DOCKER_HOST, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = config;
  return [
    ...addressIn("DATABASE_URL", DATABASE_URL),
    ...addressIn("REDIS_URL", REDIS_URL),
    ...addressIn("DOCKER_HOST", DOCKER_HOST),
    ...(host === null ? [] : [{ variable: "KUBERNETES_SERVICE_HOST", host, port }]),
  ];
}

function addressIn(variable: string, text: string | null): ControlAddress[] {
  if (text === null || !URL.canParse(text)) return [];
  const { protocol, hostname, port } = new URL(text);
  const usual = PORTS[protocol];
  if (hostname === "" || usual === undefined) return [];
  return [{ variable, host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usual : Number(port) }];
}

/** An entry that lists a part of the control plane and nothing else says something that will not happen. */
export function listedControlPlane(networks: readonly AllowedNetwork[], config: Named): readonly string[] {
  const known = controlAddresses(config).filter(({ host }) => isIP(host) !== 0);
  return networks.flatMap((each) => {
    const cidr = parseCidr(each.network);
    const listed = known.find(({ host, port }) => {
      const own = parseCidr(host);
      const isThere = cidr !== null && own !== null && isOneAddress(cidr) && contains(cidr, own);
      return isThere && each.protocol === "tcp" && each.ports?.from === port && each.ports.to === port;
    });
    if (listed === undefined) return [];
    return [
      `WORKSPACE_ALLOWED_NETWORKS lists ${each.text}, which is ${listed.variable}: a part of CodeHub itself is never allowed.`,
    ];
  });
}
