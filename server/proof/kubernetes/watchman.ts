import type { Cluster } from "#adapters/kubernetes/cluster.ts";
import { DEPLOYMENT } from "#adapters/kubernetes/labels.ts";
import type { Pod } from "#adapters/kubernetes/objects.ts";
import { claimOf, stateOf } from "#adapters/kubernetes/pod-state.ts";
import type { FaultProxy } from "../../test/data/fault-proxy.ts";

interface Attachment {
  readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName?: string } };
  readonly status?: { readonly attached?: boolean };
}

const LOOK_MS = 400;

/**
 * Looks at the cluster all the time and listens at the program's door to it. Whatever happens, no disk is on two nodes, no
 * home is used by two programs, and nothing is removed by force.
 */
export class Watchman implements AsyncDisposable {
  readonly #admin: Cluster;
  readonly #namespace: string;
  readonly #over = new AbortController();
  readonly #watch: Promise<void>;
  readonly #seen: string[] = [];
  looks = 0;

  constructor(admin: Cluster, namespace: string, door: FaultProxy) {
    this.#admin = admin;
    this.#namespace = namespace;
    door.heard = ({ method, url }, body) => {
      const isForced = method === "DELETE" && /"gracePeriodSeconds":0\b/.test(body.toString("utf8"));
      if (isForced) this.#say(`${url} was removed by force`);
    };
    this.#watch = this.#run();
  }

  /** What did not hold since the last time. */
  complaint(): string | null {
    return this.#seen.splice(0).join("; ") || null;
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      // A cluster that does not answer is what some of this is about.
      await this.#look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async #look(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#namespace}/pods`;
    const pods = (await this.#admin.list<Pod>(path, {})).filter(({ metadata }) => metadata.labels?.[DEPLOYMENT]);
    const using = pods.filter((pod) => stateOf(pod).state === "running").map(claimOf);
    for (const claim of twice(using)) this.#say(`${claim} was used by two programs at once`);
    const attachments = await this.#admin.list<Attachment>("/apis/storage.k8s.io/v1/volumeattachments", {});
    const attached = attachments.filter(({ status }) => status?.attached === true);
    for (const disk of twice(attached.map(({ spec }) => spec.source.persistentVolumeName ?? null)))
      this.#say(`${disk} was on two nodes at once`);
    this.looks += 1;
  }

  #say(what: string): void {
    if (!this.#seen.includes(what)) this.#seen.push(what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#watch;
  }
}

const twice = (names: readonly (string | null)[]): string[] => [
  ...new Set(names.filter((name, index): name is string => name !== null && names.indexOf(name) !== index)),
];
