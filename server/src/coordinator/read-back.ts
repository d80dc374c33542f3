import type { ArchiveFacts } from "#core/rows/workspace.ts";
import { failureOf } from "#ports/failure.ts";
import type { TermContext } from "./term.ts";

/** Reads an archive back in full. A job that makes no progress is ended: whoever waits for it has other things to do. */
export async function readBack(term: TermContext, key: string, expected: ArchiveFacts): Promise<void> {
  const { clock, settings } = term.deps;
  const limitMs = settings.timeoutsMs.RESTORING;
  const stop = new AbortController();
  const end = (): void => stop.abort();
  let aliveAt = clock.monotonicMs();
  let stalled = false;
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const leftMs = aliveAt + limitMs - clock.monotonicMs();
      stalled = leftMs <= 0;
      if (stalled) return stop.abort();
      await clock.sleep(leftMs, stop.signal);
    }
  };
  const onProgress = (): void => {
    aliveAt = clock.monotonicMs();
  };
  term.signal.addEventListener("abort", end, { once: true });
  void watch();
  try {
    await term.world.jobs.verify({ key, expected }, { onProgress, signal: stop.signal });
  } catch (error) {
    if (stalled) throw failureOf("Unreachable", "no_progress", { archive: key, limit_ms: limitMs });
    throw error;
  } finally {
    stop.abort();
    term.signal.removeEventListener("abort", end);
  }
}
