import type { JobProgress } from "#job-program/protocol.ts";
import type { Clock } from "#ports/clock.ts";
import type { Progress } from "#ports/store.ts";

/** Turns what a job says into what people see: with a rate, over the time since the step began. */
export function progressWithRate(clock: Clock, tell: (progress: Progress) => void): (seen: JobProgress) => void {
  let step: JobProgress["step"] | null = null;
  let since = 0;
  let bytesBefore = 0;
  return (seen) => {
    const now = clock.monotonicMs();
    if (seen.step !== step) {
      step = seen.step;
      since = now;
      bytesBefore = seen.doneBytes;
    }
    const seconds = (now - since) / 1000;
    const bytesPerSecond = seconds > 0 ? Math.round((seen.doneBytes - bytesBefore) / seconds) : null;
    tell({ ...seen, bytesPerSecond });
  };
}
