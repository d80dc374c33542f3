/** Time, injected, so that a simulation can own it. */
export interface Clock {
  /** Wall time in milliseconds since 1970: for people and for comparing with other machines. May jump. */
  readonly nowMs: () => number;
  /** Never goes back and never jumps: for leases and timeouts. */
  readonly monotonicMs: () => number;
  /** Resolves after `ms`, or at once when `signal` aborts. It never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Resolves once everything else that is ready has had its turn: for whoever has a lot to do at once. */
  readonly giveWay: () => Promise<void>;
}

/** Fresh identifiers and randomness, injected for the same reason. */
export interface Ids {
  /** A random UUID version 4. */
  readonly uuid: () => string;
  /** In [0, 1), for jitter only. */
  readonly random: () => number;
}
