import type { Writable } from "node:stream";

/** A program that sends more than all buffers on the way hold together, as fast as it is let. */
export class Flood {
  static readonly BYTES: number = 64 * 1024 * 1024;
  sent = 0;
  /** Nobody drains while the client does not read: a pause that lasts means that the pressure has come through. */
  readonly stalled: Promise<void>;
  #stall: () => void = () => undefined;

  constructor() {
    this.stalled = new Promise((done) => {
      this.#stall = done;
    });
  }

  /** Ends the stream when all of it was sent. */
  into(stream: Writable): void {
    const chunk = Buffer.alloc(256 * 1024, 7);
    while (this.sent < Flood.BYTES) {
      this.sent += chunk.length;
      if (stream.write(chunk)) continue;
      const timer = setTimeout(this.#stall, 300);
      stream.once("drain", () => {
        clearTimeout(timer);
        this.into(stream);
      });
      return;
    }
    stream.end();
    this.#stall();
  }
}
