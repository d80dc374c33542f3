import { compile } from "@fastify/proxy-addr";

type Believed = (address: string | undefined, hop: number) => boolean;

/**
 * Whose word counts about where a request comes from: the configured proxies', and before them our own, whose connection
 * comes over a socket of this machine and has no address. Nobody, where there is neither.
 */
export function believed(settings: {
  readonly trustedProxies: readonly string[];
  readonly behindOwnProxy: boolean;
}): Believed | false {
  const { trustedProxies, behindOwnProxy } = settings;
  if (trustedProxies.length === 0 && !behindOwnProxy) return false;
  const configured = compile([...trustedProxies]);
  return (address, hop) => (address === undefined ? behindOwnProxy && hop === 0 : configured(address, hop));
}
