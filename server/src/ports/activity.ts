export interface ActivityEntry {
  readonly workspaceId: string;
  readonly at: number;
}

/**
 * Where every proxy leaves the times at which people last used their workspaces, until one process writes them into
 * the database. Times are milliseconds since 1970 and only ever rise.
 */
export interface ActivityBuffer {
  /** Keeps the newer of the stored and the given time; also notes that this source is alive. */
  readonly record: (source: string, flushedAt: number, entries: readonly ActivityEntry[]) => Promise<void>;
  /** Up to `limit` entries, the oldest first, so that nothing waits for ever behind busy workspaces. */
  readonly read: (limit: number) => Promise<readonly ActivityEntry[]>;
  /** Removes the entries that still have the given time; one that rose since then stays for the next round. */
  readonly removeUnchanged: (entries: readonly ActivityEntry[]) => Promise<number>;
  /** When each source last recorded; a source that has gone quiet may be holding back activity. */
  readonly sources: () => Promise<readonly ActivitySource[]>;
  /** A source that ends in good order has handed over everything. */
  readonly forget: (source: string) => Promise<void>;
  /** Drops the sources that have not recorded since; one that records after all is known again. */
  readonly forgetSilent: (before: number) => Promise<void>;
}

export interface ActivitySource {
  readonly source: string;
  readonly flushedAt: number;
}
