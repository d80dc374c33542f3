import { type Seen, seen, unseen } from "#core/rows/observation.ts";
import type { UsageGap, UsageSeen } from "#core/rules/usage.ts";
import { means } from "./answers.ts";
import type { Cluster } from "./cluster.ts";
import { DEPLOYMENT, ROLE } from "./labels.ts";
import { IDE } from "./pod-state.ts";
import { quantityOf } from "./quantity.ts";

type Work = Pick<UsageSeen, "cpu" | "memoryBytes">;

const GROUP = "metrics.k8s.io";
/** Whether a cluster has them does not change often, and its list of what it serves is long. */
const REMEMBERED_MS = 600_000;

interface PodMetrics {
  readonly metadata: { readonly name: string };
  readonly containers?: readonly {
    readonly name: string;
    readonly usage?: { readonly cpu?: string; readonly memory?: string };
  }[];
}

/** What the pods of a deployment use, as the cluster's metrics server says: one question for all of them. */
export class PodUse {
  readonly #cluster: Cluster;
  readonly #path: string;
  readonly #labels: Readonly<Record<string, string>>;
  #served = { at: Number.NEGATIVE_INFINITY, is: false };

  constructor(cluster: Cluster, namespace: string, deploymentId: string) {
    this.#cluster = cluster;
    this.#path = `/apis/${GROUP}/v1beta1/namespaces/${namespace}/pods`;
    this.#labels = { [DEPLOYMENT]: deploymentId, [ROLE]: "workspace" };
  }

  /** By the name of the pod; one that is too young to be known is not among them. A gap stands for all of them. */
  async ask(): Promise<ReadonlyMap<string, Work> | UsageGap> {
    try {
      if (!(await this.#isServed())) return "no_metrics_server";
      const found = await this.#cluster.list<PodMetrics>(this.#path, this.#labels);
      return new Map(found.map((pod) => [pod.metadata.name, workIn(pod)]));
    } catch (error) {
      return means(error, "refused") ? "not_allowed" : "unanswered";
    }
  }

  async #isServed(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#served.at > REMEMBERED_MS) {
      const all = await this.#cluster.read<{ readonly groups?: readonly { readonly name: string }[] }>("/apis");
      this.#served = { at: now, is: all?.groups?.some(({ name }) => name === GROUP) ?? false };
    }
    return this.#served.is;
  }
}

export function workOr(all: ReadonlyMap<string, Work> | UsageGap, pod: string): Work {
  const why = typeof all === "string" ? all : "soon";
  const found = typeof all === "string" ? undefined : all.get(pod);
  return found ?? { cpu: unseen(why), memoryBytes: unseen(why) };
}

/** Of the IDE's container: what stands beside it is ours. */
function workIn({ containers = [] }: PodMetrics): Work {
  const usage = containers.find(({ name }) => name === IDE)?.usage;
  const cores = coresOf(usage?.cpu ?? "");
  const bytes = quantityOf(usage?.memory ?? "");
  return { cpu: known(cores === null ? null : { cores }), memoryBytes: known(bytes) };
}

const known = <T>(value: T | null): Seen<T> => (value === null ? unseen("soon") : seen(value));

const PARTS: Readonly<Record<string, number>> = { n: 1e9, u: 1e6, m: 1e3, "": 1 };

/** Cores, as the cluster writes them; null for what is none. */
export function coresOf(text: string): number | null {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([num]?)$/.exec(text) ?? [];
  const parts = PARTS[unit];
  return number === undefined || parts === undefined ? null : Number(number) / parts;
}
