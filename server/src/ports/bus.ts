/**
 * Carries short messages between the processes of one deployment. Messages are hints: they may be lost, and whoever
 * needs the truth reads the database. What may not be lost is the news of a loss: after any gap every subscriber is
 * told through `onLoss`, and reads everything again.
 */
export interface Bus {
  /** Resolves when the bus took the message; rejects when it certainly did not. */
  readonly publish: (channel: string, message: string) => Promise<void>;
  /**
   * Hands every later message of exactly this channel to the handler. Never fails: while the bus is away the
   * subscription waits, and its beginning is announced through `onLoss` like the end of any gap.
   */
  readonly subscribe: (channel: string, handler: (message: string) => void) => Promise<Subscription>;
  /** Called after each gap, when messages arrive again. */
  readonly onLoss: (handler: () => void) => Subscription;
  readonly health: () => BusHealth;
  readonly close: () => Promise<void>;
}

export interface Subscription {
  readonly end: () => void;
}

export interface BusHealth {
  readonly ok: boolean;
  readonly detail: string;
}
