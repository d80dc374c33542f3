import type { ActivityBuffer, ActivityEntry, ActivitySource } from "#ports/activity.ts";

/** The activity buffer of a single process. */
export class MemoryActivityBuffer implements ActivityBuffer {
  readonly #entries = new Map<string, number>();
  readonly #sources = new Map<string, number>();

  async record(source: string, flushedAt: number, entries: readonly ActivityEntry[]): Promise<void> {
    this.#sources.set(source, Math.max(flushedAt, this.#sources.get(source) ?? flushedAt));
    for (const { workspaceId, at } of entries)
      this.#entries.set(workspaceId, Math.max(at, this.#entries.get(workspaceId) ?? at));
  }

  async read(limit: number): Promise<readonly ActivityEntry[]> {
    return [...this.#entries]
      .map(([workspaceId, at]) => ({ workspaceId, at }))
      .sort((a, b) => a.at - b.at)
      .slice(0, limit);
  }

  async removeUnchanged(entries: readonly ActivityEntry[]): Promise<number> {
    let removed = 0;
    for (const { workspaceId, at } of entries)
      if (this.#entries.get(workspaceId) === at && this.#entries.delete(workspaceId)) removed += 1;
    return removed;
  }

  async sources(): Promise<readonly ActivitySource[]> {
    return [...this.#sources].map(([source, flushedAt]) => ({ source, flushedAt }));
  }

  async forget(source: string): Promise<void> {
    this.#sources.delete(source);
  }

  async forgetSilent(before: number): Promise<void> {
    for (const [source, flushedAt] of this.#sources) if (flushedAt < before) this.#sources.delete(source);
  }
}
