import { readFileSync } from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { clusterObjects } from "#adapters/kubernetes/manifests.ts";
import { parseAllowedNetworks } from "#config/allowed-networks.ts";
import { VARIABLES } from "#config/variables.ts";
import { findHelm, Helm, type Manifest, objectsIn } from "./helm.ts";

const cluster = inject("cluster");
const program = findHelm(cluster);

const PAGE = new URL("../../../docs/operating/kubernetes.md", import.meta.url);

/** The least that an operator has to say. */
const LEAST = { store: { bucket: "homes", networks: ["203.0.113.0/24", "2001:db8::/32"] } };
const ADDRESSES = { url: "https://codehub.example.org", workspaceUrl: "https://{id}.ws-example.net" };
const EVERYTHING = {
  ...ADDRESSES,
  roles: "apart",
  store: { ...LEAST.store, endpoint: "https://s3.example.org", ca: { configMap: "store-ca", key: "ca.pem" } },
  secretKeys: { DATABASE_URL: { name: "database-app", key: "uri" } },
  trustedProxies: ["10.0.0.0/8"],
  imagePullSecrets: [{ name: "registry" }],
  workspaces: {
    imageAllowlist: ["codehub/go:1"],
    pullSecrets: ["registry"],
    nodeSelector: { pool: "workspaces" },
    tolerations: ["pool=workspaces:NoSchedule"],
    priorityClass: "people",
    allowedNetworks: ["10.30.1.7:22"],
    ca: { configMap: "house-ca", key: "ca.pem" },
    storageClass: "ssd",
  },
  proxy: { tag: "0.0.9" },
  env: { TTL_STANDBY_SECONDS: 10_800 },
  ingress: { enabled: true, className: "nginx", tls: [{ secretName: "wildcard", hosts: ["*.ws-example.net"] }] },
  gateway: { enabled: true, parentRefs: [{ name: "public", namespace: "gateways" }] },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  networkPolicy: { from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress" } } }] },
};

describe.skipIf(program === null)("the chart's templates", () => {
  const helm = new Helm(program ?? "", cluster?.kubeconfig ?? "");

  it("passes helm's own look at it, with little and with everything", async () => {
    for (const values of [LEAST, EVERYTHING]) expect(await helm.lint(values)).toContain("0 chart(s) failed");
  });

  it("is what an operator reads beforehand: with the least that can be said", async ({ expect }) => {
    await expect(await helm.template("codehub", LEAST)).toMatchFileSnapshot("rendered/least.yaml");
  });

  it("is what an operator reads beforehand: proxies apart, and everything optional", async ({ expect }) => {
    const parts = ["service", "ingress", "http-route", "service-monitor", "network-policy", "pod-disruption-budget"];
    await expect(await helm.template("codehub", EVERYTHING, ...parts)).toMatchFileSnapshot("rendered/everything.yaml");
  });

  it("makes in the workspaces' namespace exactly what `codehub kubernetes print` prints", async () => {
    const allowedNetworks = [
      ...["10.20.0.0/16:443", "10.30.1.7:22", "10.30.1.7:8000-8100", "tcp:10.30.1.9", "10.40.0.0/16"],
      ...["udp:10.30.1.8:123", "fd00:12::/64:443", "udp:fd00:12::/64", "[fd00:12::7]:22", "[fd00:12::7]"],
    ];
    const rendered = objectsIn(await helm.template("codehub", { ...LEAST, workspaces: { allowedNetworks } }));
    const concerned = rendered.filter(
      ({ kind, metadata }) => kind === "ServiceAccount" || metadata.namespace !== "codehub",
    );
    const printed = clusterObjects({
      namespace: "codehub-workspaces",
      serverNamespace: "codehub",
      serverNetworks: [],
      storeNetworks: LEAST.store.networks,
      allowedNetworks: parseAllowedNetworks(allowedNetworks.join(",")).networks,
    }) as readonly Manifest[];
    expect(byName(concerned.map(withoutPolicy))).toEqual(byName(printed));
  });

  it("keeps what an uninstall must not take: the namespace, and what shuts its pods in", async () => {
    const rendered = objectsIn(await helm.template("codehub", LEAST));
    const kept = rendered.filter(({ metadata }) => metadata.annotations?.[POLICY] === "keep");
    expect(kept.map(nameOf).toSorted()).toEqual([
      "Namespace codehub-workspaces",
      "NetworkPolicy codehub-jobs",
      "NetworkPolicy codehub-workspaces",
    ]);
  });

  it("sets variables that the program knows, and no others", async () => {
    const rendered = objectsIn(await helm.template("codehub", EVERYTHING, "deployment"));
    expect(rendered.map(({ metadata }) => metadata.name)).toEqual(["codehub", "codehub-proxy"]);
    for (const { spec } of rendered) {
      const { containers } = (spec as DeploymentSpec).template.spec;
      const names = containers.flatMap(({ env }) => env.map(({ name }) => name));
      expect(names.filter((name) => !(name in VARIABLES))).toEqual([]);
      expect(names).toHaveLength(new Set(names).size);
    }
  });

  it("takes every secret of the program from a Secret, and none of them among the plain variables", async () => {
    const secrets = Object.entries(VARIABLES).flatMap(([name, { secret }]) => (secret ? [name] : []));
    expect(secrets).toContain("METRICS_TOKEN");
    const [{ spec } = { spec: undefined }] = objectsIn(await helm.template("codehub", LEAST, "deployment"));
    const [container] = (spec as DeploymentSpec).template.spec.containers;
    const kept = container?.env.flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef === undefined ? [] : [name]));
    expect(kept?.toSorted()).toEqual(secrets.toSorted());
    for (const name of secrets)
      await expect(helm.template("codehub", { ...LEAST, env: { [name]: "x" } })).rejects.toThrow(name);
  });

  it("gives a proxy, which speaks with strangers, none of what only the others use", async () => {
    const [server, proxy] = objectsIn(await helm.template("codehub", EVERYTHING, "deployment")).map(({ spec }) =>
      (spec as DeploymentSpec).template.spec.containers.flatMap(({ env }) =>
        env.flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef === undefined ? [] : [name])),
      ),
    );
    expect(server).toEqual(expect.arrayContaining(proxy ?? []));
    expect(proxy?.toSorted()).toEqual([
      ...["DATABASE_URL", "METRICS_TOKEN", "OTEL_EXPORTER_OTLP_HEADERS", "REDIS_URL"],
      ...["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"],
    ]);
  });

  it("lets Prometheus read every Service with the token that the servers have, as the job of the alert rules", async () => {
    const monitors = objectsIn(await helm.template("codehub", EVERYTHING, "service-monitor"));
    expect(monitors).toHaveLength(1);
    const { selector, endpoints } = monitors.map(({ spec }) => spec as MonitorSpec)[0] as MonitorSpec;
    const [{ port, path, authorization, relabelings }] = endpoints;
    expect([path, relabelings]).toEqual(["/metrics", [{ targetLabel: "job", replacement: "codehub" }]]);
    for (const { spec } of objectsIn(await helm.template("codehub", EVERYTHING, "deployment"))) {
      const [container] = (spec as DeploymentSpec).template.spec.containers;
      const token = container?.env.find(({ name }) => name === "METRICS_TOKEN");
      expect(token?.valueFrom?.secretKeyRef).toMatchObject(authorization.credentials);
    }
    const services = objectsIn(await helm.template("codehub", EVERYTHING, "service"));
    expect(services.map(({ metadata }) => metadata.name)).toEqual(["codehub", "codehub-proxy"]);
    for (const { metadata, spec } of services) {
      expect(metadata.labels).toMatchObject(selector.matchLabels);
      expect((spec as { ports: readonly { name: string }[] }).ports.map(({ name }) => name)).toContain(port);
    }
  });

  it("takes the values that its documentation shows, step by step", async () => {
    const blocks = readFileSync(PAGE, "utf8").matchAll(/^```yaml\n(.*?)^```/gms);
    const shown = [...blocks].map(([, text = ""]): object => parse(text));
    expect(shown.length).toBeGreaterThan(1);
    const names = (objects: readonly Manifest[]): string[] => objects.map(nameOf);
    expect(names(objectsIn(await helm.template("codehub", shown[0] ?? {})))).toContain("Deployment codehub");
    expect(names(objectsIn(await helm.template("codehub", Object.assign({}, ...shown))))).toContain("Ingress codehub");
  });

  it.for([
    ["no bucket", {}, "/store/bucket"],
    ["a value that nobody knows", { ...LEAST, replicas: 2 }, "replicas"],
    ["a secret among the plain variables", { ...LEAST, env: { DATABASE_URL: "postgres://x" } }, "DATABASE_URL"],
    ["homes in the release's own namespace", { ...LEAST, workspaces: { namespace: "codehub" } }, "must not be the"],
    [
      "a name among the networks",
      { ...LEAST, workspaces: { allowedNetworks: ["git.example.org:22"] } },
      "allowedNetworks",
    ],
    ["an Ingress without hosts", { ...LEAST, ingress: { enabled: true } }, "url must be set"],
  ] as const)("refuses %s", async ([, values, words]) => {
    await expect(helm.template("codehub", values)).rejects.toThrow(words);
  });
});

const POLICY = "helm.sh/resource-policy";
const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

interface DeploymentSpec {
  readonly template: { spec: { containers: readonly { env: readonly EnvironmentEntry[] }[] } };
}
interface EnvironmentEntry {
  readonly name: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}
interface MonitorSpec {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly endpoints: readonly [
    {
      readonly port: string;
      readonly path: string;
      readonly relabelings: readonly object[];
      readonly authorization: { readonly credentials: { readonly name: string; readonly key: string } };
    },
  ];
}

const byName = (objects: readonly Manifest[]): Record<string, Manifest> =>
  Object.fromEntries(objects.map((object) => [nameOf(object), object]));

/** What a release says to Helm itself is all that may differ. */
function withoutPolicy(object: Manifest): Manifest {
  const { annotations, ...metadata } = object.metadata;
  const { [POLICY]: _, ...others } = annotations ?? {};
  return { ...object, metadata: Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others } };
}
