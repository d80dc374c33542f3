import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";

const SMALLEST_RESERVE = 128;
const QUIET_MS = 60_000;

/**
 * How many clients a process with so many descriptors may have, of so many kinds of connections of which there may be as
 * many: clients, those towards workspaces (see ConnectionBudget), and those towards a server that they are passed on to. What
 * is left is for the database, the engine, the store and the leader's watchdog, which fail without.
 */
export function clientsFor(descriptors: number, kinds: 2 | 3 = 2): number {
  const reserve = Math.max(SMALLEST_RESERVE, Math.floor(descriptors / 4));
  return Math.max(1, Math.floor((descriptors - reserve) / kinds));
}

export interface ConnectionLimitDeps {
  readonly max: number;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly logger: Logger;
}

/** Counts the clients of all listeners together and turns away those that are too many. */
export class ConnectionLimit {
  readonly #deps: ConnectionLimitDeps;
  #open = 0;
  #turnedAway = 0;
  #lastSaid = Number.NEGATIVE_INFINITY;

  constructor(deps: ConnectionLimitDeps) {
    this.#deps = deps;
  }

  guard(server: Server): void {
    server.on("connection", (socket) => this.#accept(socket));
  }

  #accept(socket: Socket): void {
    if (this.#open >= this.#deps.max) return this.#turnAway(socket);
    this.#open += 1;
    socket.once("close", () => {
      this.#open -= 1;
    });
  }

  #turnAway(socket: Socket): void {
    socket.on("error", () => undefined);
    // Its descriptor is wanted back, so nobody waits until the client has read this.
    socket.end(
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
      () => socket.destroy(),
    );
    this.#turnedAway += 1;
    const { clock, logger, max } = this.#deps;
    if (clock.monotonicMs() - this.#lastSaid < QUIET_MS) return;
    this.#lastSaid = clock.monotonicMs();
    logger.warn(
      { max, turnedAway: this.#turnedAway },
      "clients are turned away: too many connections are open. A higher limit of open files (ulimit -n) allows more.",
    );
    this.#turnedAway = 0;
  }
}
