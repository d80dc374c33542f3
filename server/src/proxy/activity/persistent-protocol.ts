/** Kinds of messages in VS Code's persistent protocol that are of interest here; others are passed over. */
export const REGULAR = 1;
export const CONTROL = 2;
const LAST_KNOWN_TYPE = 15;

const HEADER_BYTES = 13;
/** Enough for every name that is looked for; the rest of a message is skipped. */
const PREFIX_BYTES = 1_024;
const MAX_MESSAGE_BYTES = 1 << 30;

/** A message's kind and the first bytes of its body. The buffer is only good until the next message. */
export type OnMessage = (type: number, prefix: Buffer, length: number) => void;

/**
 * Reads the stream of messages that VS Code runs over its WebSockets: a 13-byte head (type, id, ack, length) and a body.
 * Many messages share a frame and large ones span several, so frames mean nothing here: it is one stream of bytes.
 */
export class MessageReader {
  readonly #onMessage: OnMessage;
  readonly #head = Buffer.alloc(HEADER_BYTES);
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #have = 0;
  #type = 0;
  #length = 0;
  #seen = 0;
  #broken = false;

  constructor(onMessage: OnMessage) {
    this.#onMessage = onMessage;
  }

  get broken(): boolean {
    return this.#broken;
  }

  feed(chunk: Buffer, start: number, end: number, mask: Uint8Array | null, maskOffset: number): void {
    let at = start;
    while (at < end && !this.#broken) {
      const offset = maskOffset + at - start;
      if (this.#have < HEADER_BYTES) {
        const byte = chunk[at] ?? 0;
        this.#head[this.#have] = mask === null ? byte : byte ^ (mask[offset & 3] ?? 0);
        this.#have += 1;
        at += 1;
        if (this.#have === HEADER_BYTES) this.#begin();
      } else at += this.#body(chunk, at, end, mask, offset);
    }
  }

  #begin(): void {
    this.#type = this.#head[0] ?? 0;
    this.#length = this.#head.readUInt32BE(9);
    this.#seen = 0;
    this.#broken = this.#type > LAST_KNOWN_TYPE || this.#length > MAX_MESSAGE_BYTES;
    if (this.#length === 0 && !this.#broken) this.#end();
  }

  #body(chunk: Buffer, at: number, end: number, mask: Uint8Array | null, offset: number): number {
    const take = Math.min(end - at, this.#length - this.#seen);
    const keep = Math.min(take, PREFIX_BYTES - this.#seen);
    for (let i = 0; i < keep; i += 1) {
      const byte = chunk[at + i] ?? 0;
      this.#prefix[this.#seen + i] = mask === null ? byte : byte ^ (mask[(offset + i) & 3] ?? 0);
    }
    this.#seen += take;
    if (this.#seen === this.#length) this.#end();
    return take;
  }

  #end(): void {
    this.#have = 0;
    this.#onMessage(this.#type, this.#prefix.subarray(0, Math.min(this.#length, PREFIX_BYTES)), this.#length);
  }
}
