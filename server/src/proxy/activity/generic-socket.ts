import type { Clock } from "#ports/clock.ts";
import { FrameReader } from "./frames.ts";
import type { Observer } from "./guarded.ts";
import { PeriodicFilter } from "./periodic.ts";

/**
 * A WebSocket of some program we know nothing about: what the browser sends is activity, unless it comes back with the
 * same length at a fixed period. Pings and pongs never count.
 */
export class GenericSocket implements Observer {
  readonly #frames: FrameReader;
  readonly #touch: () => void;

  constructor(clock: Clock, touch: () => void) {
    const rhythm = new PeriodicFilter();
    this.#touch = touch;
    this.#frames = new FrameReader({
      onFrame: (opcode, _compressed, length) => {
        if (opcode <= 2 && !rhythm.isPeriodic(length, clock.monotonicMs())) touch();
        return true;
      },
      onPayload: () => undefined,
    });
  }

  fromClient(chunk: Buffer): void {
    // Not WebSocket frames at all: then every byte of the client counts.
    if (this.#frames.broken) this.#touch();
    else this.#frames.feed(chunk);
  }

  fromServer(): void {
    // What a program prints is not a person's doing; for terminals there is a rule of its own.
  }

  tick(): void {
    // Nobody is there unless something comes.
  }

  close(): void {
    // Nothing is kept.
  }
}
