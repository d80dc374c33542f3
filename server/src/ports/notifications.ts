/**
 * What the database's triggers say. Notifications that were sent while nobody listened are gone, so whoever listens is
 * told each time the connection stands: from then on nothing is missed, before then something may have been.
 */
export interface NotificationSource {
  /** Listens until the signal aborts and reconnects by itself. Resolves when it has ended; never rejects. */
  readonly listen: (channels: readonly string[], listener: NotificationListener, signal: AbortSignal) => Promise<void>;
}

export interface NotificationListener {
  readonly connected: () => void;
  /** The connection is gone; `connected` is called when there is one again. */
  readonly disconnected?: () => void;
  readonly notified: (channel: string, payload: string) => void;
}
