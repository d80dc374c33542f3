/** Wakes whoever waits for news of a workspace. News may be lost on its way: nobody waits without a limit. */
export class Changes {
  readonly #waiting = new Map<string, Set<() => void>>();

  happened(workspaceId: string): void {
    const waiting = this.#waiting.get(workspaceId);
    this.#waiting.delete(workspaceId);
    for (const wake of waiting ?? []) wake();
  }

  /** Resolves with the next news, or when the time is up. */
  next(workspaceId: string, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(workspaceId) ?? new Set();
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(workspaceId) === waiting) this.#waiting.delete(workspaceId);
        resolve();
      };
      const timer = setTimeout(wake, limitMs).unref();
      waiting.add(wake);
      this.#waiting.set(workspaceId, waiting);
    });
  }
}
