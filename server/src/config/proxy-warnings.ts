import { BlockList, isIP } from "node:net";

/** Whether X-Forwarded-* from this machine itself would be believed. */
function trustsLoopback(entries: readonly string[]): boolean {
  const trusted = new BlockList();
  for (const entry of entries) {
    if (entry === "loopback") return true;
    const [address = "", mask] = entry.split("/");
    const family = isIP(address);
    const longest = family === 4 ? 32 : 128;
    const bits = mask === undefined ? longest : Number(mask);
    // Names and netmasks in dots are understood where they are used; only a warning is missed here.
    if (family === 0 || !Number.isInteger(bits) || bits < 0 || bits > longest) continue;
    trusted.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
  }
  return trusted.check("127.0.0.1", "ipv4") || trusted.check("::1", "ipv6");
}

/** What is allowed and works, but means something for sign-ins that the operator should know. */
export function proxyWarnings(config: {
  readonly TRUSTED_PROXIES: readonly string[];
  readonly BASE_URL: string | null;
  /** Workspaces are programs on this machine and can reach its loopback. */
  readonly localWorkspaces: boolean;
}): readonly string[] {
  if (config.TRUSTED_PROXIES.length === 0) {
    // This server speaks plain http: an https address means that a reverse proxy stands before it.
    if (!(config.BASE_URL ?? "").startsWith("https:")) return [];
    return [
      "BASE_URL is https, so a reverse proxy stands before this server, but TRUSTED_PROXIES is empty: everybody seems to come from the proxy's address, in the audit log and where failed sign-ins are counted. Set TRUSTED_PROXIES to the proxy's address.",
    ];
  }
  if (!trustsLoopback(config.TRUSTED_PROXIES)) return [];
  const who = config.localWorkspaces
    ? "every program on this machine, workspaces included,"
    : "every program on this machine";
  return [
    `TRUSTED_PROXIES trusts this machine's own address: ${who} can claim to come from any address when signing in. Let the reverse proxy come from an address of its own where that matters.`,
  ];
}
