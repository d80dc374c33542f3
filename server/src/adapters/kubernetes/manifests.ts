import type { AllowedNetwork } from "#core/reach/reach.ts";
import { ROLE } from "./labels.ts";
import { egressTo } from "./policy-reach.ts";
import { OWNER_NAME, POLICIES } from "./premises.ts";

export interface ManifestOptions {
  /** Where workspaces run: a namespace of its own, which no release owns, because its claims are the homes. */
  readonly namespace: string;
  /** Where the server's own pods run; null when it runs outside of the cluster. */
  readonly serverNamespace: string | null;
  /** From where else workspaces are reached: the addresses of servers outside of the cluster. */
  readonly serverNetworks: readonly string[];
  /** Where the object store is. Jobs reach nothing else. */
  readonly storeNetworks: readonly string[];
  /** What workspaces reach besides the internet. */
  readonly allowedNetworks: readonly AllowedNetwork[];
}

const SERVER = "codehub";
/** Pods of the server carry it, so that workspaces let them in. */
export const SERVER_LABEL = { "codehub/part": "server" } as const;

/** Everything that is somebody's own: the cluster, the nodes, the metadata of clouds, other machines of the house. */
const PRIVATE_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  // Of a cloud's own services to its machines, with an address that looks public.
  "168.63.129.16/32",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "224.0.0.0/3",
];
const PRIVATE_V6 = ["::/127", "64:ff9b::/96", "fc00::/7", "fe80::/10", "ff00::/8"];

const DNS = {
  to: [
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
    },
  ],
  ports: [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ],
};

const blocks = (networks: readonly string[]): object[] => networks.map((cidr) => ({ ipBlock: { cidr } }));

/** Everything CodeHub needs in a cluster and does not make by itself, in the order in which it is applied. */
export function clusterObjects(options: ManifestOptions): readonly object[] {
  const { namespace } = options;
  const meta = (name: string): object => ({ name, namespace });
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata: meta(OWNER_NAME), data: { about: "Owns the pods of CodeHub." } },
    policy(meta(POLICIES.workspace), "workspace", ingressFrom(options), [
      DNS,
      {
        to: [{ ipBlock: { cidr: "0.0.0.0/0", except: PRIVATE_V4 } }, { ipBlock: { cidr: "::/0", except: PRIVATE_V6 } }],
      },
      ...options.allowedNetworks.map(egressTo),
    ]),
    policy(
      meta(POLICIES.job),
      "job",
      [],
      [DNS, ...(options.storeNetworks.length === 0 ? [] : [{ to: blocks(options.storeNetworks) }])],
    ),
    ...rights(options),
  ];
}

function policy(metadata: object, role: string, ingress: readonly object[], egress: readonly object[]): object {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata,
    spec: { podSelector: { matchLabels: { [ROLE]: role } }, policyTypes: ["Ingress", "Egress"], ingress, egress },
  };
}

function ingressFrom({ serverNamespace, serverNetworks }: ManifestOptions): object[] {
  const from = [
    ...(serverNamespace === null
      ? []
      : [
          {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": serverNamespace } },
            podSelector: { matchLabels: SERVER_LABEL },
          },
        ]),
    ...blocks(serverNetworks),
  ];
  // A rule without anybody in it would let everybody in.
  return from.length === 0 ? [] : [{ from }];
}

/** One Role in that namespace, and nothing of the whole cluster. Secrets are never listed. */
function rights({ namespace, serverNamespace }: ManifestOptions): object[] {
  const allow = (apiGroups: string, resources: string[], verbs: string[], resourceNames?: string[]): object => ({
    apiGroups: [apiGroups],
    resources,
    verbs,
    ...(resourceNames === undefined ? {} : { resourceNames }),
  });
  const account = { name: SERVER, namespace: serverNamespace ?? namespace };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: account, automountServiceAccountToken: false },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: SERVER, namespace },
      rules: [
        allow("", ["pods"], ["get", "list", "watch", "create", "delete"]),
        allow("", ["pods/log"], ["get"]),
        allow("", ["persistentvolumeclaims"], ["get", "list", "create", "patch", "delete"]),
        // For one pod each: addresses of a job's own attempt, what a start is given. Gone with it, or taken back before.
        allow("", ["secrets"], ["create", "delete"]),
        allow("", ["events"], ["get", "list"]),
        allow("metrics.k8s.io", ["pods"], ["list"]),
        allow("", ["namespaces"], ["get"], [namespace]),
        allow("", ["configmaps"], ["get"], [OWNER_NAME]),
        allow("networking.k8s.io", ["networkpolicies"], ["get"], Object.values(POLICIES)),
      ],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: SERVER, namespace },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: SERVER },
      subjects: [{ kind: "ServiceAccount", ...account }],
    },
  ];
}
