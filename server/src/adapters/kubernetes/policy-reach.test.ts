import { describe, expect, it } from "vitest";
import type { AllowedNetwork } from "#core/reach/reach.ts";
import { clusterObjects } from "./manifests.ts";
import { type EgressRule, egressTo, missingIn, neverAllowedIn } from "./policy-reach.ts";

function entry(network: string, from: number | null, change: Partial<AllowedNetwork> = {}): AllowedNetwork {
  const ports = from === null ? null : { from, to: from };
  return { text: `${network}:${from}`, protocol: "tcp", network, ports, except: [], ...change };
}

describe("what a policy lets workspaces reach", () => {
  it("is what is listed, as the cluster writes it", () => {
    expect(egressTo(entry("10.20.0.0/16", 443))).toEqual({
      to: [{ ipBlock: { cidr: "10.20.0.0/16" } }],
      ports: [{ protocol: "TCP", port: 443 }],
    });
    expect(egressTo(entry("10.30.1.7/32", null, { ports: { from: 8000, to: 8100 } })).ports).toEqual([
      { protocol: "TCP", port: 8000, endPort: 8100 },
    ]);
    const wide = entry("100.64.0.0/10", null, { protocol: "udp", except: ["100.100.100.200/32"] });
    expect(egressTo(wide)).toEqual({
      to: [{ ipBlock: { cidr: "100.64.0.0/10", except: ["100.100.100.200/32"] } }],
      ports: [{ protocol: "UDP" }],
    });
  });

  it("is told where it lacks an entry, by the entry", () => {
    const list = [entry("10.20.0.0/16", 443), entry("10.30.1.7/32", null), entry("fd00:12::/64", 443)];
    expect(missingIn(list.map(egressTo), list)).toEqual([]);
    expect(missingIn([], list)).toEqual(list.map(({ text }) => text));
    // Another port, another protocol, one port instead of all.
    const [, , six] = list.map(egressTo);
    const close = [
      entry("10.20.0.0/16", 80),
      entry("10.20.0.0/16", 443, { protocol: "udp" }),
      entry("10.30.1.7/32", 22),
    ];
    expect(missingIn([...close.map(egressTo), ...(six === undefined ? [] : [six])], list)).toEqual([
      "10.20.0.0/16:443",
      "10.30.1.7/32:null",
    ]);
    // Written in another way, and together with others.
    const together = {
      to: [{ ipBlock: { cidr: "fd00:0012:0::/64" } }, { ipBlock: { cidr: "10.20.0.0/16" } }],
      ports: [{ port: 443 }, { protocol: "TCP" }],
    };
    expect(missingIn([together], list)).toEqual(["10.30.1.7/32:null"]);
  });

  it.each([
    ["metadata", entry("169.254.0.0/16", 80), "169.254.169.254"],
    ["metadata elsewhere", entry("100.64.0.0/10", null), "100.100.100.200"],
    ["metadata by IPv6", entry("fc00::/7", 80), "fd00:ec2::254"],
    ["everything", entry("0.0.0.0/0", null), "169.254.169.254"],
    ["the API server", entry("10.0.0.0/8", 443), "10.96.0.1 at port 443"],
    ["the API server among ports", entry("10.96.0.1/32", 1, { ports: { from: 1, to: 500 } }), "10.96.0.1"],
  ])("is refused where it is %s", (_, each, words) => {
    const controlPlane = [
      { address: null, port: 6379 },
      { address: "10.96.0.1", port: 443 },
    ];
    expect(neverAllowedIn([egressTo(each)], controlPlane)).toContain(words);
  });

  it("is not refused at other ports, where it is left out, or where the control plane is on the internet", () => {
    const controlPlane = [{ address: "10.96.0.1", port: 443 }];
    for (const each of [
      entry("10.0.0.0/8", 22),
      entry("10.0.0.0/8", 443, { protocol: "udp" }),
      entry("10.0.0.0/8", 443, { except: ["10.96.0.0/12"] }),
      entry("169.254.0.0/16", 81),
    ])
      expect(neverAllowedIn([egressTo(each)], controlPlane)).toBeNull();
    const internet = {
      to: [
        {
          ipBlock: {
            cidr: "0.0.0.0/0",
            except: ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "168.63.129.16/32", "192.0.0.0/24"],
          },
        },
      ],
    };
    expect(neverAllowedIn([internet], [{ address: "203.0.113.9", port: 5432 }])).toBeNull();
  });

  it("is nothing in the policy that we print ourselves", () => {
    const networks = { serverNetworks: ["10.0.0.1/32"], storeNetworks: ["10.0.0.2/32"], allowedNetworks: [] };
    const objects = clusterObjects({ namespace: "codehub", serverNamespace: null, ...networks }) as readonly {
      readonly kind: string;
      readonly metadata: { readonly name: string };
      readonly spec: { readonly egress: readonly EgressRule[] };
    }[];
    const policy = objects.find(
      ({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "codehub-workspaces",
    );
    expect(policy?.spec.egress).toContainEqual(expect.objectContaining({ to: expect.anything() }));
    expect(neverAllowedIn(policy?.spec.egress ?? [], [])).toBeNull();
  });
});
