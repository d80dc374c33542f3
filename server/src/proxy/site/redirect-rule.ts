/** Where a workspace's redirects begin, and where they may not end. */
export interface RedirectRule {
  /** The own origin of the workspace, which relative redirects stay on. */
  readonly origin: string;
  /** Hosts that its redirects must not lead to: the dashboard's, and those of other workspaces. */
  readonly isOffLimits: (host: string) => boolean;
}

/**
 * A navigation that a person began at a workspace stays "begun by a person" through redirects. A container that could
 * redirect to the dashboard or to a neighbour could therefore wake other workspaces with somebody else's click. What
 * counts is where a browser would go, so the address is resolved as a browser resolves it.
 */
export function leadsOffLimits(header: "location" | "refresh" | "content-location", value: string, rule: RedirectRule) {
  const addresses = header === "refresh" ? refreshAddresses(value) : [value];
  return addresses.some((address) => readings(address).some((reading) => isOffLimits(reading, rule)));
}

/** Bytes beyond ASCII are UTF-8 to some browsers, and one character each to others. */
const readings = (value: string): readonly string[] =>
  /[\x80-\xff]/.test(value) ? [value, Buffer.from(value, "latin1").toString()] : [value];

function isOffLimits(address: string, { origin, isOffLimits }: RedirectRule): boolean {
  const target = URL.parse(address, origin);
  // What cannot be resolved here may be resolved elsewhere, and is of use to nobody.
  if (target === null) return true;
  const host = target.hostname.replace(/\.$/, "");
  return isOffLimits(target.port === "" ? host : `${host}:${target.port}`);
}

/**
 * What browsers may take for the address in a Refresh: the rest behind the seconds, with or without `url=`, and with or
 * without quotes, whose end also ends the address.
 */
function refreshAddresses(value: string): readonly string[] {
  const [, rest = ""] = /^[\t ]*[0-9.]*[\t ]*[;,]?[\t ]*(.*)$/s.exec(value) ?? [];
  const [, named] = /^url[\t ]*=[\t ]*(.*)$/is.exec(rest) ?? [];
  return [rest, named ?? ""].map((address) => {
    const [, , quoted] = /^(["'])(.*?)(?:\1|$)/s.exec(address) ?? [];
    return quoted ?? address;
  });
}
