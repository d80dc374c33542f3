import { OperationFailure } from "#ports/failure.ts";
import { means } from "./answers.ts";
import type { Cluster } from "./cluster.ts";
import { DEPLOYMENT } from "./labels.ts";
import type { ClusterEvent, Meta, Pod } from "./objects.ts";
import { PodWatch } from "./pod-watch.ts";

/** A name is one pod's after the other; the uid is this one's. */
export interface PodId {
  readonly name: string;
  readonly uid: string;
}

export const containerIdOf = ({ metadata }: Pod): string => `${metadata.name}/${metadata.uid}`;

export function parseContainerId(containerId: string): PodId {
  const [name = "", uid = ""] = containerId.split("/");
  return { name, uid };
}

const FIRST_LOOK_MS = 100;
const LAST_LOOK_MS = 2_000;
/** Beyond the grace: for the kubelet to notice, to unmount and to tell. */
const GOING_MS = 60_000;
/** Beyond this a cluster that does not answer is away, and whoever waits is told so. */
const SILENCE_MS = 30_000;

/** The pods of one deployment in one namespace. */
export class Pods {
  readonly path: string;
  readonly watch: PodWatch;
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #deploymentId: string;

  constructor(cluster: Cluster, namespace: string, deploymentId: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#deploymentId = deploymentId;
    this.path = `/api/v1/namespaces/${namespace}/pods`;
    this.watch = new PodWatch(cluster, this.path, deploymentId);
  }

  list(labels: Readonly<Record<string, string>>): Promise<Pod[]> {
    return this.listed(labels, (pod) => pod);
  }

  /** The same of many, of which only a part is kept. */
  listed<Picked>(labels: Readonly<Record<string, string>>, pick: (pod: Pod) => Picked): Promise<Picked[]> {
    return this.#cluster.listed<Pod, Picked>(this.path, { [DEPLOYMENT]: this.#deploymentId, ...labels }, pick);
  }

  /** This very pod; null when it is positively gone, also when another one has its name now. */
  async find({ name, uid }: PodId): Promise<Pod | null> {
    const pod = await this.named(name);
    return pod?.metadata.uid === uid ? pod : null;
  }

  named(name: string): Promise<Pod | null> {
    return this.#cluster.read<Pod>(`${this.path}/${encodeURIComponent(name)}`);
  }

  /** The one that was made for this; made before by this very attempt is as good. Null: another one has the name. */
  async create(body: { readonly metadata: Pick<Meta, "name" | "labels"> }, signal?: AbortSignal): Promise<Pod | null> {
    try {
      const limit = signal === undefined ? {} : { signal };
      return await this.#cluster.create<Pod>(this.path, body, { ...limit, repeatable: true });
    } catch (error) {
      if (!means(error, "exists")) throw error;
      const { name, labels = {} } = body.metadata;
      const there = await this.named(name);
      const same = Object.entries(labels).every(([label, value]) => there?.metadata.labels?.[label] === value);
      return same && there?.metadata.deletionTimestamp === undefined ? there : null;
    }
  }

  isOurs({ metadata }: Pod): boolean {
    return metadata.labels?.[DEPLOYMENT] === this.#deploymentId;
  }

  /**
   * Until `done` has an answer, told by the watch and looked at anyhow. Every look is a consistent read. Rejects when
   * the pod is gone, when the cluster has not answered for too long, and with the signal's reason.
   */
  async until<T>(id: PodId, signal: AbortSignal, done: (pod: Pod) => T | null | Promise<T | null>): Promise<T> {
    const follower = this.watch.follow(id.name);
    const look = patiently(() => this.find(id));
    try {
      for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 1.3, LAST_LOOK_MS)) {
        const pod = await look();
        if (pod === null)
          throw new OperationFailure("ActionFailed", `The pod ${id.name} was removed by somebody else.`);
        const answer = pod === undefined ? null : await done(pod);
        if (answer !== null) return answer;
        await follower.next(waitMs, signal);
        signal.throwIfAborted();
      }
    } finally {
      follower.close();
    }
  }

  /** Resolves when a consistent read says that this pod is not there. Accepted is not gone, and nothing is ever forced. */
  async remove(id: PodId, graceSeconds: number): Promise<void> {
    const follower = this.watch.follow(id.name);
    const look = patiently(() => this.find(id));
    try {
      await this.#cluster.remove(`${this.path}/${encodeURIComponent(id.name)}`, id.uid, graceSeconds);
      const limit = AbortSignal.timeout(graceSeconds * 1_000 + GOING_MS);
      for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 1.3, LAST_LOOK_MS)) {
        const pod = await look();
        if (pod === null) return;
        if (limit.aborted && pod !== undefined) throw stays(pod);
        await follower.next(waitMs, limit);
      }
    } finally {
      follower.close();
    }
  }

  /** What the cluster's parts said about it, as far as they still know. */
  async events({ uid }: PodId): Promise<readonly ClusterEvent[]> {
    const query = { fieldSelector: `involvedObject.uid=${uid}`, limit: "100" };
    const answer = await this.#cluster.read<{ items: readonly ClusterEvent[] | null }>(
      `/api/v1/namespaces/${this.#namespace}/events`,
      { query, timeoutMs: 3_000 },
    );
    return answer?.items ?? [];
  }

  /** The last of it, if there is any. */
  async lastEvent(id: PodId): Promise<ClusterEvent | null> {
    const at = (event: ClusterEvent): string => event.lastTimestamp ?? event.eventTime ?? "";
    return (await this.events(id)).reduce<ClusterEvent | null>(
      (last, event) => (last === null || at(event) >= at(last) ? event : last),
      null,
    );
  }
}

/**
 * Looks of which some may stay without an answer: undefined, nothing is known. What has begun is not thrown away because
 * the cluster has too much to do for a moment.
 */
function patiently(look: () => Promise<Pod | null>): () => Promise<Pod | null | undefined> {
  let heardAt = performance.now();
  return async () => {
    try {
      const pod = await look();
      heardAt = performance.now();
      return pod;
    } catch (error) {
      const mayPass = error instanceof OperationFailure && error.reason === "Unreachable";
      if (!mayPass || performance.now() - heardAt > SILENCE_MS) throw error;
      return undefined;
    }
  };
}

/** On a node that does not answer the pod may still write: not known, for as long as it takes. */
function stays({ metadata, spec }: Pod): OperationFailure {
  const held = metadata.finalizers?.length ? ` It is held by ${metadata.finalizers.join(", ")}.` : "";
  return new OperationFailure(
    "Unreachable",
    `The pod ${metadata.name} is still being removed on node ${spec.nodeName ?? "(none)"}, and may still write to its volume.${held}`,
  );
}
