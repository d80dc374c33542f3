import { describe, expect, it } from "vitest";
import { clusterObjects } from "./manifests.ts";
import { type NetworkPolicy, POLICIES, policyProblem } from "./premises.ts";

const options = {
  ...{ namespace: "ws", serverNamespace: "codehub", serverNetworks: [], storeNetworks: ["10.9.0.0/16"] },
  allowedNetworks: [],
};
function printed(name: string, change: object = {}): NetworkPolicy {
  const objects = clusterObjects({ ...options, ...change }) as readonly (NetworkPolicy & { kind: string })[];
  const found = objects.find(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}
function changed(spec: Partial<NetworkPolicy["spec"]>): NetworkPolicy {
  const whole = printed(POLICIES.workspace);
  return { ...whole, spec: { ...whole.spec, ...spec } };
}

describe("the network policies", () => {
  it("that are printed shut in what they are for, and nothing else", () => {
    expect(policyProblem(printed(POLICIES.workspace), "workspace")).toBeNull();
    expect(policyProblem(printed(POLICIES.job), "job")).toBeNull();
    expect(policyProblem(printed(POLICIES.job), "workspace")).toContain("does not choose");
    // Nobody to let in must not become everybody.
    expect(policyProblem(printed(POLICIES.workspace, { serverNamespace: null }), "workspace")).toBeNull();
    expect(policyProblem(printed(POLICIES.job, { storeNetworks: [] }), "job")).toBeNull();
  });

  it.each([
    [{ podSelector: { matchLabels: { "codehub/role": "workspace", team: "a" } } }, "does not choose every pod"],
    [{ podSelector: { matchExpressions: [] } }, "does not choose every pod"],
    [{ policyTypes: ["Ingress"] }, "says nothing about Egress"],
    [{ policyTypes: ["Egress"] }, "says nothing about Ingress"],
    [{ ingress: [{}] }, "lets everybody in"],
    [{ egress: [{ to: [] }] }, "lets everything out"],
  ])("are refused when one is weaker: %j", (spec, problem) => {
    expect(policyProblem(changed(spec), "workspace")).toContain(problem);
  });

  it("choose every pod of the namespace where they name no label", () => {
    expect(policyProblem(changed({ podSelector: {} }), "workspace")).toBeNull();
  });
});

it("asks for one Role and nothing of the whole cluster", () => {
  const objects = clusterObjects(options) as readonly {
    kind: string;
    rules?: { resources: string[]; verbs: string[] }[];
  }[];
  expect(objects.map(({ kind }) => kind)).not.toContain("ClusterRole");
  const rules = objects.find(({ kind }) => kind === "Role")?.rules ?? [];
  for (const { resources, verbs } of rules) {
    for (const asked of [...resources, ...verbs]) expect(asked).not.toBe("*");
    if (resources.includes("secrets")) expect(verbs).not.toContain("list");
    expect(resources.filter((one) => /exec|attach|portforward/.test(one))).toEqual([]);
  }
});
