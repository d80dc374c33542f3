import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Admission } from "#proxy/door/admission.ts";
import { refuseUpgrade } from "#proxy/pages/answers.ts";
import { mustRest } from "./pressure.ts";
import { type ResponseRules, responseHead, withoutAnnouncement } from "./response-head.ts";
import { ResponseParser } from "./response-parser.ts";
import { letGo } from "./spent.ts";
import { OpenStream } from "./streams.ts";
import { dial, type Target, UPSTREAM_LIMITS } from "./upstream.ts";

/** Sees a copy of what flows, in both directions. It may not hold anything up. */
export interface Tap {
  readonly fromClient: (chunk: Buffer) => void;
  readonly fromServer: (chunk: Buffer) => void;
  readonly close: () => void;
}

export interface SpliceOptions {
  readonly upstream: Target;
  readonly session: Admission;
  readonly head: string;
  readonly rules: ResponseRules;
  /** Made once the container has agreed. */
  readonly tap: (() => Tap) | null;
  /** Bytes the client sent right behind its request. */
  readonly early: Buffer;
  readonly onClose: () => void;
}

const HANDSHAKE_MS = 30_000;
/** How long one side may stay open after the other has closed. */
const HALF_OPEN_MS = 10_000;

/**
 * A WebSocket: the handshake is read and filtered, then the two sockets are joined byte for byte. Frames are not taken
 * apart on the way; a copy may be looked at beside it.
 */
export class Splice extends OpenStream {
  readonly session: Admission;
  override readonly isEndless = true;
  readonly #client: Duplex;
  readonly #server: Socket;
  readonly #options: SpliceOptions;
  #tap: Tap | null = null;
  /** The client has the head of an answer. */
  #answered = false;
  /** The answer was not an upgrade; what is left is to let the client read it. */
  #declined = false;
  #over = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(client: Duplex, options: SpliceOptions) {
    super();
    this.session = options.session;
    this.#client = client;
    this.#options = options;
    this.#server = dial(options.upstream, UPSTREAM_LIMITS.connectTimeoutMs);
  }

  start(): void {
    const close = () => this.cut();
    const serverClosed = () => {
      if (!this.#declined) this.cut();
    };
    this.#client.on("error", close).on("close", close);
    this.#server.on("error", serverClosed).on("close", serverClosed);
    this.#endAfter(HANDSHAKE_MS);
    this.#server.write(this.#options.head, "latin1");
    this.#handshake();
  }

  cut(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#answered) this.#client.destroy();
    else refuseUpgrade(this.#client, 502, "The workspace did not answer.", 3);
    this.#server.destroy();
    this.#tap?.close();
    this.#options.onClose();
  }

  #handshake(): void {
    let status = 0;
    const parser = new ResponseParser(
      {
        onHead: (code, reason, headers) => {
          const kept = responseHead(code, headers, this.#options.rules);
          if (kept === null) return this.cut();
          status = code;
          this.#answered = true;
          this.#client.write(handshakeText(code, reason, withoutAnnouncement(kept.headers, false)), "latin1");
        },
        // A container may decline with a body without end; it is read no faster than the client reads.
        onBody: (chunk) => {
          if (mustRest(this.#client.write(chunk), this.#client)) this.#server.pause();
        },
        onEnd: () => undefined,
      },
      false,
    );
    const onDrain = () => this.#server.resume();
    const onData = (chunk: Buffer) => {
      try {
        parser.feed(chunk);
      } catch {
        return this.cut();
      }
      if (!parser.done || this.#over) return;
      this.#server.off("data", onData);
      this.#client.off("drain", onDrain);
      if (status === 101) this.#join(parser.leftover);
      else this.#decline();
    };
    this.#client.on("drain", onDrain);
    this.#server.on("data", onData);
    this.#server.once("end", () => {
      if (status !== 0 && status !== 101) this.#decline();
    });
  }

  /** The container did not want to; its answer has been passed on. */
  #decline(): void {
    if (this.#declined) return;
    this.#declined = true;
    this.#client.end();
    this.#endAfter(HALF_OPEN_MS);
  }

  #join(first: Buffer): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const tap = this.#options.tap?.() ?? null;
    this.#tap = tap;
    const { early } = this.#options;
    if (first.length > 0) {
      this.#client.write(first);
      tap?.fromServer(first);
    }
    if (early.length > 0) {
      this.#server.write(early);
      tap?.fromClient(early);
    }
    pump(this.#client, this.#server, tap === null ? null : (chunk) => tap.fromClient(chunk));
    pump(this.#server, this.#client, tap === null ? null : (chunk) => tap.fromServer(chunk));
    const half = () => this.#endAfter(HALF_OPEN_MS);
    this.#client.once("end", half);
    this.#server.once("end", half);
  }

  #endAfter(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#over ? null : setTimeout(() => this.cut(), ms).unref();
  }
}

function pump(from: Duplex, to: Duplex, copy: ((chunk: Buffer) => void) | null): void {
  from.on("data", (chunk: Buffer) => {
    if (mustRest(to.write(chunk), to)) from.pause();
    copy?.(chunk);
    letGo(chunk, to);
  });
  to.on("drain", () => from.resume());
  from.on("end", () => to.end());
}

/** The answer to an upgrade. A refusal's body follows decoded, up to the end of the connection. */
function handshakeText(code: number, reason: string, kept: readonly string[]): string {
  let text = `HTTP/1.1 ${code} ${reason}\r\n`;
  for (let i = 0; i < kept.length; i += 2) text += `${kept[i]}: ${kept[i + 1]}\r\n`;
  return `${text}${code === 101 ? "Connection: Upgrade\r\nUpgrade: websocket" : "Connection: close"}\r\n\r\n`;
}
