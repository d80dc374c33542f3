import type { ClusterEvent } from "./objects.ts";
import type { PodId } from "./pods.ts";

/** While all goes well nothing is said that is worth asking for. */
const FIRST_MS = 3_000;
const PAUSE_GROWTH = 1.5;
const LONGEST_PAUSE_MS = 15_000;
/** Of the time of those who answer, questions take at most a fifth. */
const REST_SHARE = 4;
const AFTER_FAILURE_MS = 30_000;

/**
 * What the cluster's parts said last about pods that wait. A cluster has no index of its events: for each question it reads all of
 * the namespace's, of which a fleet has a thousand and more. Questions of everybody who waits after an outage would keep it from what they
 * wait for. So one is asked at a time, and the longer it took the longer is the pause after it. They are for people to read: whoever is not
 * answered goes on with what was said before.
 */
export class EventWords {
  readonly #ask: (id: PodId) => Promise<ClusterEvent | null>;
  readonly #now: () => number;
  #isAsking = false;
  #restUntil = 0;

  constructor(ask: (id: PodId) => Promise<ClusterEvent | null>, now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  /** For one pod, from now on: called as often as its waiting is looked at, never rejects. */
  of(id: PodId): () => Promise<ClusterEvent | null> {
    let last: ClusterEvent | null = null;
    let pauseMs = FIRST_MS;
    let nextAt = this.#now() + pauseMs;
    return async () => {
      const begun = this.#now();
      if (begun < nextAt || begun < this.#restUntil || this.#isAsking) return last;
      pauseMs = Math.min(pauseMs * PAUSE_GROWTH, LONGEST_PAUSE_MS);
      nextAt = begun + pauseMs;
      this.#isAsking = true;
      try {
        last = await this.#ask(id);
        this.#restUntil = this.#now() + REST_SHARE * (this.#now() - begun);
      } catch {
        this.#restUntil = this.#now() + AFTER_FAILURE_MS;
      } finally {
        this.#isAsking = false;
      }
      return last;
    };
  }
}
