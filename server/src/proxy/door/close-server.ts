import type { Server } from "node:http";

const RESTING_LOOK_MS = 50;
/** How many turns of the event loop are looked at to know what a quick one is, and how many at most. */
const LEARNED_TURNS = 20;
const MOST_TURNS = 500;
/** Of a turn in which there was nothing to do, against the quickest. */
const AS_QUICK = 1.5;

/** Takes no more connections, and ends each as soon as nothing is under way on it. */
export async function closeServer(server: Server): Promise<void> {
  await quietTurn();
  const closed = new Promise<void>((done) => server.close(() => done()));
  // Those that are in use now rest when they are done, and whoever is at their other end would keep them.
  const resting = setInterval(() => server.closeIdleConnections(), RESTING_LOOK_MS);
  await closed.finally(() => clearInterval(resting));
}

/**
 * The system resets connections that have come and were not taken yet when their listener is closed, and a front that has sent its
 * request by then may not send it elsewhere. They are taken once in each turn of the event loop, so the moment to close is the end
 * of a turn in which there was nothing to take: one of the quickest. A loop that is never idle is not waited for.
 */
async function quietTurn(): Promise<void> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const begun = performance.now();
    await new Promise((done) => setImmediate(done));
    const took = performance.now() - begun;
    if (turn >= LEARNED_TURNS && took <= quickest * AS_QUICK) return;
    quickest = Math.min(quickest, took);
  }
}
