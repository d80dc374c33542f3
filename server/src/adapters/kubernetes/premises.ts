import type { Reach } from "#core/reach/reach.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Logger } from "#ports/logger.ts";
import type { Cluster } from "./cluster.ts";
import { ROLE } from "./labels.ts";
import type { Meta } from "./objects.ts";
import { type EgressRule, missingIn, neverAllowedIn } from "./policy-reach.ts";

/** The object that owns every pod: `kubectl drain` and autoscalers leave pods alone that nobody owns. Never of a claim. */
export interface OwnerReference {
  readonly apiVersion: "v1";
  readonly kind: "ConfigMap";
  readonly name: string;
  readonly uid: string;
  readonly controller: true;
  readonly blockOwnerDeletion: false;
}

export interface NetworkPolicy {
  readonly metadata: Pick<Meta, "name">;
  readonly spec: {
    readonly podSelector: {
      readonly matchLabels?: Readonly<Record<string, string>>;
      readonly matchExpressions?: unknown;
    };
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly { readonly from?: readonly unknown[] }[];
    readonly egress?: readonly EgressRule[];
  };
}

export const OWNER_NAME = "codehub";
export const POLICIES = { workspace: "codehub-workspaces", job: "codehub-jobs" } as const;
type PodRole = keyof typeof POLICIES;

const FRESH_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** How soon it is tried again where the answer was no: somebody may be mending it. */
const TRY_AGAIN_MS = 60_000;
const NOTHING_LISTED: Reach = { allowed: [], controlPlane: async () => [] };
const REMEDY = "Apply what `codehub kubernetes print` prints, or install the chart.";

export interface EnforcementProbe {
  readonly isEnforced: (owner: OwnerReference) => Promise<boolean>;
}

/** What must be in the namespace before the first pod is: who owns it, and what it may reach. */
export class Premises {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  /** Null where an operator knows that nobody enforces the policies, and accepts it. */
  readonly #probe: EnforcementProbe | null;
  readonly #reach: Reach;
  /** Entries of the list that the policy lacks. */
  #missing: readonly string[] = [];
  #seen: { readonly at: number; readonly owner: OwnerReference } | null = null;
  #tried: { readonly at: number; readonly enforced: boolean } | null = null;
  #trying: Promise<boolean> | null = null;

  constructor(cluster: Cluster, namespace: string, probe: EnforcementProbe | null, reach: Reach = NOTHING_LISTED) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#probe = probe;
    this.#reach = reach;
  }

  /** What is listed and not in the policy, in words; null where nothing is, or nobody has looked yet. */
  get lacking(): string | null {
    if (this.#missing.length === 0) return null;
    const what = `Workspaces do not reach ${this.#missing.join(", ")}, which WORKSPACE_ALLOWED_NETWORKS lists`;
    return `${what}: the NetworkPolicy ${POLICIES.workspace} of namespace ${this.#namespace} lacks it. ${REMEDY}`;
  }

  async require(): Promise<OwnerReference> {
    if (this.#seen !== null && performance.now() - this.#seen.at < FRESH_MS) return this.#seen.owner;
    const [owner] = await Promise.all([this.#owner(), this.#policy("workspace"), this.#policy("job")]);
    if (this.#probe !== null) await this.#requireEnforced(this.#probe, owner);
    this.#seen = { at: performance.now(), owner };
    return owner;
  }

  /** A policy that nobody enforces reads like any other. Tried by a pod, once a start of this server and day. */
  async #requireEnforced(probe: EnforcementProbe, owner: OwnerReference): Promise<void> {
    const last = this.#tried;
    const isFresh = last !== null && performance.now() - last.at < (last.enforced ? DAY_MS : TRY_AGAIN_MS);
    if (isFresh ? last.enforced : await this.#try(probe, owner)) return;
    throw new OperationFailure(
      "ActionFailed",
      `The cluster does not hold pods to the network policies of namespace ${this.#namespace}: one that nobody ` +
        "may reach was reached. Workspaces would reach the cluster, its nodes and each other, so none is started. Use a network " +
        "plugin that enforces NetworkPolicies, and look for other policies in the namespace that let somebody in. " +
        "KUBERNETES_NETWORK_POLICIES=unenforced accepts it.",
    );
  }

  /** For all who ask meanwhile. */
  #try(probe: EnforcementProbe, owner: OwnerReference): Promise<boolean> {
    this.#trying ??= probe
      .isEnforced(owner)
      .then((enforced) => {
        this.#tried = { at: performance.now(), enforced };
        return enforced;
      })
      .finally(() => {
        this.#trying = null;
      });
    return this.#trying;
  }

  async #owner(): Promise<OwnerReference> {
    const path = `/api/v1/namespaces/${this.#namespace}/configmaps/${OWNER_NAME}`;
    const found = await this.#cluster.read<{ metadata: Meta }>(path);
    if (found === null) throw this.#incomplete(`There is no ConfigMap ${OWNER_NAME}, which owns the pods.`);
    const { uid } = found.metadata;
    return { apiVersion: "v1", kind: "ConfigMap", name: OWNER_NAME, uid, controller: true, blockOwnerDeletion: false };
  }

  async #policy(role: PodRole): Promise<void> {
    const name = POLICIES[role];
    const path = `/apis/networking.k8s.io/v1/namespaces/${this.#namespace}/networkpolicies/${name}`;
    const found = await this.#cluster.read<NetworkPolicy>(path);
    const problem = found === null ? "is not there" : policyProblem(found, role);
    if (problem !== null) throw this.#incomplete(`The NetworkPolicy ${name} ${problem}: no pod is started without it.`);
    if (role === "workspace") await this.#requireReach(found?.spec.egress ?? []);
  }

  /** What is open and must not be keeps everything from starting; what is closed and should not be is only told. */
  async #requireReach(egress: readonly EgressRule[]): Promise<void> {
    const open = neverAllowedIn(egress, await this.#reach.controlPlane());
    if (open !== null) {
      throw new OperationFailure(
        "ActionFailed",
        `The NetworkPolicy ${POLICIES.workspace} lets workspaces reach ${open}: no pod is started with it. Namespace ${this.#namespace}. ` +
          "Take it out of WORKSPACE_ALLOWED_NETWORKS, or list smaller networks around it; then apply what `codehub kubernetes print` prints, or upgrade the chart.",
      );
    }
    this.#missing = missingIn(egress, this.#reach.allowed);
  }

  #incomplete(what: string): OperationFailure {
    return new OperationFailure("ActionFailed", `${what} Namespace ${this.#namespace}. ${REMEDY}`);
  }
}

/** At start, beside it: the first workspace need not wait for it, and whoever looks into the log learns what is missing. */
export async function tellOfPremises(premises: Premises, logger: Logger): Promise<void> {
  try {
    await premises.require();
    if (premises.lacking !== null) logger.warn({}, premises.lacking);
  } catch (error) {
    logger.error({ error: String(error) }, "no workspace can be started on this cluster");
  }
}

/** Why this policy does not shut in the pods of a role; null when it does. */
export function policyProblem({ spec }: NetworkPolicy, role: PodRole): string | null {
  const { matchLabels = {}, matchExpressions } = spec.podSelector;
  const labels = Object.entries(matchLabels);
  const choosesAll =
    matchExpressions === undefined && labels.every(([label, value]) => label === ROLE && value === role);
  if (!choosesAll) return `does not choose every pod with ${ROLE}=${role}`;
  for (const type of ["Ingress", "Egress"]) {
    if (!spec.policyTypes?.includes(type)) return `says nothing about ${type}`;
  }
  if (spec.ingress?.some(({ from = [] }) => from.length === 0)) return "lets everybody in";
  if (spec.egress?.some(({ to = [] }) => to.length === 0)) return "lets everything out";
  return null;
}
