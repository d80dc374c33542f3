import { jsonLines } from "#adapters/runtime-parts/json-lines.ts";
import { means, pauseMs } from "./answers.ts";
import { type Cluster, pause } from "./cluster.ts";
import { DEPLOYMENT, ROLE, WORKSPACE } from "./labels.ts";
import type { Meta, Pod } from "./objects.ts";
import { stateOf } from "./pod-state.ts";

interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: Partial<Pod> & { readonly metadata?: Meta; readonly code?: number };
}

/** Told of the pod whose name it has, and asked when somebody wants to wait. */
export interface Follower {
  /** Resolves when something was said since the last time, at the latest after `ms`, and when the signal aborts. */
  readonly next: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** Longer than the cluster is silent on a stream that lives: it sends a bookmark about every minute. */
const SILENCE_MS = 100_000;
/** The cluster ends a watch by itself; not the same moment for everybody. */
const WATCH_SECONDS = 240;

/**
 * One stream of what happens to the deployment's pods, for as long as somebody listens. Hints only: who is told looks
 * for himself, and whoever waits also looks when nothing is said. A stream that broke goes on from where it was; one
 * that is too old begins with now. Nobody is told of a workspace's pod that looks as it did when it was last told of or
 * listed: a node that is silent for a moment changes every pod on it, and ten thousand looks would follow.
 */
export class PodWatch {
  readonly #cluster: Cluster;
  readonly #path: string;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #byName = new Map<string, Set<() => void>>();
  readonly #hints = new Set<(workspaceId: string) => void>();
  readonly #known = new Map<string, string>();
  readonly #silenceMs: number;
  #running: AbortController | null = null;

  constructor(cluster: Cluster, path: string, deploymentId: string, silenceMs: number = SILENCE_MS) {
    this.#silenceMs = silenceMs;
    this.#cluster = cluster;
    this.#path = path;
    this.#labels = { [DEPLOYMENT]: deploymentId };
  }

  /** Workspace ids, until the signal aborts. */
  async hints(onHint: (workspaceId: string) => void, signal: AbortSignal): Promise<void> {
    this.#hints.add(onHint);
    this.#ensure();
    await new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#hints.delete(onHint);
    this.#endIfUnheard();
  }

  /** Everything there is, as somebody has listed and is about to judge it; what happened meanwhile is newer and stays. */
  listed(looks: ReadonlyMap<string, string>): void {
    for (const name of this.#known.keys()) if (!looks.has(name)) this.#known.delete(name);
    for (const [name, look] of looks) if (!this.#known.has(name)) this.#known.set(name, look);
  }

  follow(name: string): Follower {
    let said = false;
    let wake: (() => void) | null = null;
    const tell = () => {
      said = true;
      wake?.();
    };
    const followers = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, followers.add(tell));
    this.#ensure();
    return {
      next: async (ms, signal) => {
        if (!said) {
          const woken = new AbortController();
          wake = () => woken.abort();
          await pause(ms, AbortSignal.any([woken.signal, signal]));
          wake = null;
        }
        said = false;
      },
      close: () => {
        followers.delete(tell);
        if (followers.size === 0) this.#byName.delete(name);
        this.#endIfUnheard();
      },
    };
  }

  #ensure(): void {
    if (this.#running !== null) return;
    this.#running = new AbortController();
    void this.#run(this.#running.signal);
  }

  #endIfUnheard(): void {
    if (this.#hints.size > 0 || this.#byName.size > 0) return;
    this.#running?.abort();
    this.#running = null;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let version: string | null = null;
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        version ??= await this.#cluster.versionOf(this.#path, this.#labels);
        for await (const event of this.#events(version, signal)) {
          version = event.type === "ERROR" ? null : (event.object.metadata?.resourceVersion ?? version);
          if (version === null) break;
          tries = 0;
          if (event.type !== "BOOKMARK") this.#tell(event);
        }
      } catch (error) {
        // The cluster is away or the version is: asked again until somebody ends it.
        if (means(error, "expired")) version = null;
      }
      await pause(pauseMs(tries, null, Math.random()), signal);
    }
  }

  async *#events(version: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const silent = new AbortController();
    let timer = setTimeout(() => silent.abort(), this.#silenceMs);
    const query = {
      labelSelector: `${DEPLOYMENT}=${this.#labels[DEPLOYMENT]}`,
      watch: "1",
      resourceVersion: version,
      allowWatchBookmarks: "true",
      timeoutSeconds: String(Math.round(WATCH_SECONDS * (0.75 + Math.random() / 2))),
    };
    try {
      const stream = await this.#cluster.stream(this.#path, query, AbortSignal.any([signal, silent.signal]));
      for await (const event of jsonLines<WatchEvent>(stream)) {
        clearTimeout(timer);
        timer = setTimeout(() => silent.abort(), this.#silenceMs);
        yield event;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #tell({ type, object }: WatchEvent): void {
    const { metadata } = object;
    if (metadata === undefined) return;
    for (const tell of this.#byName.get(metadata.name) ?? []) tell();
    const workspaceId = metadata.labels?.[ROLE] === "workspace" ? metadata.labels[WORKSPACE] : undefined;
    if (workspaceId === undefined) return;
    const look = lookOf({ spec: {}, ...object, metadata });
    if (type === "DELETED") this.#known.delete(metadata.name);
    else if (this.#known.get(metadata.name) === look) return;
    else this.#known.set(metadata.name, look);
    for (const hint of this.#hints) hint(workspaceId);
  }
}

/** All of a pod that a workspace's observation is made of, and nothing else that changes in it. */
export function lookOf(pod: Pod): string {
  const { uid, deletionTimestamp } = pod.metadata;
  return JSON.stringify([uid, deletionTimestamp, pod.status?.podIP, stateOf(pod)]);
}
