import type { Clock } from "#ports/clock.ts";

/** How much of its time a process that works, or one that rests, spends working: here 0.001 to 0.008 at rest. In between is neither. */
const AT_WORK = 0.05;
const AT_REST = 0.02;
const LOOK_MS = 5_000;

/** What V8 offers where it is started with --expose-gc. */
type Collect = (options: { type: "major"; flavor: "last-resort" }) => void;

/**
 * Gives memory back when work is over. V8 collects when something new needs the room: a process that has worked and now
 * rests keeps what nobody refers to any more for as long as it rests. Once after each time of work it is told to collect,
 * which takes a part of a second in which nobody asks for anything. As a last resort, because otherwise V8 keeps the pages of what it
 * collected, and the room for new objects that work had made large, for the next work.
 */
export async function collectAtRest(
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
  collect: Collect | undefined = (globalThis as { gc?: Collect }).gc,
  busy: () => number = sharesOfTime(),
): Promise<void> {
  // A start is work.
  let worked = true;
  while (collect !== undefined && !signal.aborted) {
    await clock.sleep(LOOK_MS, signal);
    const share = busy();
    if (share >= AT_WORK) worked = true;
    if (!worked || share >= AT_REST || signal.aborted) continue;
    worked = false;
    collect({ type: "major", flavor: "last-resort" });
  }
}

/** Of the time since the last call, the share that was spent working: by the processor, because one that others use makes us wait. */
function sharesOfTime(): () => number {
  let [at, used] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    const share = (user + system) / 1_000 / Math.max(1, performance.now() - at);
    [at, used] = [performance.now(), process.cpuUsage()];
    return share;
  };
}
