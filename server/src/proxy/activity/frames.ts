/** What a frame reader tells: one call for each frame's head, then its payload piece by piece. */
export interface FrameSink {
  /** False ends the reading: what follows is not understood. */
  readonly onFrame: (opcode: number, compressed: boolean, length: number) => boolean;
  /** Bytes `start` to `end` of the chunk; masked with `mask`, beginning at its byte `offset`, when there is one. */
  readonly onPayload: (chunk: Buffer, start: number, end: number, mask: Uint8Array | null, offset: number) => void;
}

/**
 * Takes WebSocket frames apart in a copy of a stream, in any chunks. It copies nothing but a frame's head: payloads are
 * pointed at, so that following a stream costs next to nothing.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #head = new Uint8Array(14);
  #have = 0;
  #left = 0;
  #mask: Uint8Array | null = null;
  #given = 0;
  #broken = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  get broken(): boolean {
    return this.#broken;
  }

  feed(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#broken) {
      if (this.#left > 0) {
        const end = Math.min(chunk.length, at + this.#left);
        this.#sink.onPayload(chunk, at, end, this.#mask, this.#given);
        this.#given += end - at;
        this.#left -= end - at;
        at = end;
      } else {
        this.#head[this.#have] = chunk[at] ?? 0;
        this.#have += 1;
        at += 1;
        if (this.#have >= this.#headLength()) this.#begin();
      }
    }
  }

  #headLength(): number {
    if (this.#have < 2) return 2;
    const second = this.#head[1] ?? 0;
    const size = second & 0x7f;
    return 2 + (size === 126 ? 2 : size === 127 ? 8 : 0) + (second & 0x80 ? 4 : 0);
  }

  #begin(): void {
    const length = this.#have;
    const view = new DataView(this.#head.buffer);
    const first = this.#head[0] ?? 0;
    const second = this.#head[1] ?? 0;
    const size = second & 0x7f;
    const payload = size === 126 ? view.getUint16(2) : size === 127 ? Number(view.getBigUint64(2)) : size;
    this.#mask = second & 0x80 ? this.#head.slice(length - 4, length) : null;
    this.#have = 0;
    this.#given = 0;
    this.#left = payload;
    this.#broken = (first & 0x30) !== 0 || !this.#sink.onFrame(first & 0x0f, (first & 0x40) !== 0, payload);
  }
}
