import type { ActivityBuffer } from "#ports/activity.ts";
import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";

export interface RecorderDeps {
  /** Names this proxy among others; while a known one is silent, idle time is not trusted. */
  readonly source: string;
  readonly buffer: ActivityBuffer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long activity may wait in this memory; much less than the shortest idle time anybody is given. */
  readonly flushMs: number;
}

/**
 * A proxy's memory of who used what when: one time per workspace, overwritten at no cost by every request, handed to
 * the buffer now and then. What could not be handed over is kept for the next time.
 */
export class ActivityRecorder {
  readonly #deps: RecorderDeps;
  #latest = new Map<string, number>();

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  touch(workspaceId: string): void {
    this.#latest.set(workspaceId, this.#deps.clock.nowMs());
  }

  async flush(): Promise<void> {
    const { source, buffer, clock, logger } = this.#deps;
    const taken = this.#latest;
    this.#latest = new Map();
    try {
      const entries = [...taken].map(([workspaceId, at]) => ({ workspaceId, at }));
      await buffer.record(source, clock.nowMs(), entries);
    } catch (error) {
      for (const [workspaceId, at] of taken)
        this.#latest.set(workspaceId, Math.max(at, this.#latest.get(workspaceId) ?? at));
      logger.warn({ error: String(error) }, "activity could not be handed over and is kept");
    }
  }

  /** Flushes until the signal aborts, then once more; a recorder that kept nothing back is not waited for any more. */
  async run(signal: AbortSignal): Promise<void> {
    await this.flush();
    while (!signal.aborted) {
      await this.#deps.clock.sleep(this.#deps.flushMs, signal);
      await this.flush();
    }
    if (this.#latest.size === 0) await this.#deps.buffer.forget(this.#deps.source).catch(() => undefined);
  }
}
