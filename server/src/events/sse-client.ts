import type { EventData, EventType } from "@codehub/contract";

/** Where a stream's bytes go: the part of a server response that a stream needs. */
export interface EventSink {
  readonly write: (chunk: string) => boolean;
  /** Bytes accepted and not yet taken by the network. */
  readonly writableLength: number;
  readonly destroyed: boolean;
  readonly end: () => void;
  readonly destroy: () => void;
  readonly once: (event: "close" | "drain", listener: () => void) => unknown;
}

export interface StreamOwner {
  readonly userId: string;
  /** Of the session or token that opened the stream; when it ends, the stream ends. */
  readonly credentialId: string;
  readonly via: "cookie" | "token";
}

/** JSON has no raw line breaks, so what people write cannot end a frame or begin another one. */
export const frame = <T extends EventType>(type: T, data: EventData<T>): string =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Beyond this much unsent data a client is not keeping up. */
const MAX_BACKLOG_BYTES = 1_048_576;

/**
 * One open stream. What a slow client cannot take is not queued without bound: it misses events until the network has
 * taken what was written, and then starts over from a snapshot.
 */
export class SseClient {
  readonly owner: StreamOwner;
  readonly #sink: EventSink;
  readonly #onCaughtUp: (client: SseClient) => void;
  /** Why the next thing this client gets is a snapshot; null once it has one. */
  #needs: "first" | string | null = "first";
  #lagging = false;
  #ended = false;

  constructor(owner: StreamOwner, sink: EventSink, onCaughtUp: (client: SseClient) => void) {
    this.owner = owner;
    this.#sink = sink;
    this.#onCaughtUp = onCaughtUp;
  }

  get needsSnapshot(): boolean {
    return this.#needs !== null && !this.#lagging && !this.#ended;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Something may have been missed; the reason is shown to the client. */
  invalidate(reason: string): void {
    this.#needs ??= reason;
  }

  /** Frames for clients that are up to date; others get everything with their snapshot. */
  send(text: string): boolean {
    if (this.#ended || this.#needs !== null) return false;
    this.#write(text);
    return true;
  }

  sendSnapshot(text: string): void {
    if (!this.needsSnapshot) return;
    const reason = this.#needs;
    this.#needs = null;
    this.#write(reason === "first" || reason === null ? text : frame("resync", { reason }) + text);
  }

  /** Also for a client that waits for its snapshot: it shows that the connection is alive. */
  heartbeat(): void {
    if (!this.#ended && !this.#lagging) this.#write(frame("heartbeat", {}));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    // What the network does not take any more is cut off: a revoked stream must not live on in a full buffer.
    if (this.#lagging) this.#sink.destroy();
    else this.#sink.end();
  }

  closed(): void {
    this.#ended = true;
  }

  #write(text: string): void {
    if (this.#sink.write(text) || this.#lagging || this.#sink.writableLength < MAX_BACKLOG_BYTES) return;
    this.#lagging = true;
    this.#needs ??= "slow";
    this.#sink.once("drain", () => {
      this.#lagging = false;
      this.#onCaughtUp(this);
    });
  }
}
