import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import type { Clock, Ids } from "#ports/clock.ts";

/** Node's timers cannot wait longer than this; a longer sleep is slept in parts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(ms, signal) {
    const until = performance.now() + ms;
    for (let left = ms; left > 0 && signal?.aborted !== true; left = until - performance.now()) {
      await delay(Math.min(left, LONGEST_TIMER_MS), undefined, signal === undefined ? {} : { signal }).catch(() => {});
    }
  },
  giveWay: () => turn(),
};

export const systemIds: Ids = {
  uuid: () => crypto.randomUUID(),
  random: () => Math.random(),
};
