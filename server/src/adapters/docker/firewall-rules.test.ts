import { describe, expect, it } from "vitest";
import type { AllowedNetwork } from "#core/reach/reach.ts";
import { bridgePrefix, firewallRules } from "./firewall-rules.ts";

const ID = "12345678-1234-4234-8234-123456789abc";
const listed = (network: string, port: number | null, change: Partial<AllowedNetwork> = {}): AllowedNetwork => ({
  ...{ text: "", protocol: "tcp", network, ports: port === null ? null : { from: port, to: port }, except: [] },
  ...change,
});
function chain(rules: string, name: string): string[] {
  const body = new RegExp(`chain ${name} \\{\\n(.*?)\\n {2}\\}`, "s").exec(rules)?.[1] ?? "";
  return body.split("\n").map((line) => line.trim());
}

describe("the firewall's rules", () => {
  it("accepts what is listed after the control plane is refused, and before what is private is", () => {
    const rules = firewallRules(
      ID,
      [
        listed("10.20.0.0/16", 443),
        listed("100.64.0.0/10", null, { except: ["100.100.100.200/32"], protocol: "udp" }),
        listed("fd00:12::/64", null, { ports: { from: 8000, to: 8100 } }),
      ],
      [
        { address: "10.20.0.5", port: 443 },
        { address: null, port: 6379 },
      ],
    );
    expect(chain(rules, "leaving").slice(2)).toEqual([
      "ip daddr 10.20.0.5 tcp dport 443 drop",
      "tcp dport 6379 goto beyond",
      "ip daddr 10.20.0.0/16 tcp dport 443-443 accept",
      "ip daddr 100.64.0.0/10 ip daddr != { 100.100.100.200/32 } meta l4proto udp accept",
      "ip6 daddr fd00:12::/64 tcp dport 8000-8100 accept",
      "goto beyond",
    ]);
  });

  it("opens the host itself only for one address and one port, and never for the control plane's ports", () => {
    const allowed = [
      listed("10.20.0.0/16", 443),
      listed("10.20.0.7/32", null),
      listed("10.20.0.7/32", null, { ports: { from: 1, to: 9000 } }),
      listed("10.20.0.7/32", 3000),
      listed("fd00:12::7/128", 3000),
    ];
    expect(chain(firewallRules(ID, allowed, [{ address: "10.9.9.9", port: 8000 }]), "host")).toEqual([
      "ct state established,related accept",
      "tcp dport { 2375, 2376, 8000 } drop",
      "ip daddr 10.20.0.7/32 tcp dport 3000-3000 accept",
      "ip6 daddr fd00:12::7/128 tcp dport 3000-3000 accept",
      "drop",
    ]);
  });

  it("belongs to one deployment, also where ids begin alike", () => {
    const other = `${ID.slice(0, -1)}d`;
    expect(bridgePrefix(ID)).not.toBe(bridgePrefix(other));
    expect(firewallRules(ID, [], [])).toContain(`table inet codehub-${ID} {`);
    expect(firewallRules(ID, [], [])).not.toContain(bridgePrefix(other));
    // With the longest port it fills what a name of a network interface may have.
    expect(`${bridgePrefix(ID)}65535`).toHaveLength(15);
  });
});
