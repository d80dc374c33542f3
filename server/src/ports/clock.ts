/** Time, injected, so that a simulation can own it. */
export interface Clock {
  /** Wall time in milliseconds since 1970: for people and for comparing with other machines. May jump. */
  nowMs(): number;
  /** Never goes back and never jumps: for leases and timeouts. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. It never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Fresh identifiers and randomness, injected for the same reason. */
export interface Ids {
  /** A random UUID version 4. */
  uuid(): string;
  /** In [0, 1), for jitter only. */
  random(): number;
}
