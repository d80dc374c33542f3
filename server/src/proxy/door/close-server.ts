import type { Server } from "node:http";

const RESTING_LOOK_MS = 50;

/** Takes no more connections, and ends each as soon as nothing is under way on it. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  // Those that are in use now rest when they are done, and whoever is at their other end would keep them.
  const resting = setInterval(() => server.closeIdleConnections(), RESTING_LOOK_MS);
  await closed.finally(() => clearInterval(resting));
}
