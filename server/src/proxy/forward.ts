import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyFraming, RequestHead } from "./request-head.ts";
import { type ResponseRules, responseHeaders } from "./response-head.ts";
import { type Connection, type ExchangeSink, TooManyConnections, type Upstream } from "./upstream.ts";

/** Why a request could not be carried through; nothing of a response was sent yet. */
export type ForwardFailure = "unreachable" | "busy" | "bad-response" | "redirect-to-dashboard";

export interface ForwardOptions {
  readonly upstream: Upstream;
  readonly head: RequestHead;
  readonly rules: ResponseRules;
  /** Answers in our own name. Called at most once, and only while no byte was sent. */
  readonly onFailure: (failure: ForwardFailure) => void;
  readonly onClose: () => void;
}

const LINGER_MS = 5_000;

/** Methods that may be sent again when the connection turned out to be closed before anything came back. */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Carries one request to the container and its response back, a chunk at a time in both directions: nothing is kept,
 * and whoever is slower sets the pace.
 */
export class Exchange implements ExchangeSink {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #options: ForwardOptions;
  readonly #framing: BodyFraming;
  #connection: Connection | null = null;
  #retried = false;
  #requestComplete: boolean;
  #headSent = false;
  #over = false;
  /** The last chunk is held back for a moment: with the end it makes one write instead of two. */
  #held: Buffer | null = null;
  #flushing = false;
  /** Bytes of the request's body so far, for telling a slow upload from one that is held open on purpose. */
  received = 0;

  constructor(req: IncomingMessage, res: ServerResponse, options: ForwardOptions) {
    this.#req = req;
    this.#res = res;
    this.#options = options;
    this.#framing = options.head.framing;
    this.#requestComplete = this.#framing === "none";
  }

  get receiving(): boolean {
    return !this.#requestComplete;
  }

  start(): void {
    this.#res.on("close", () => this.#onClientGone());
    if (!this.#send()) return;
    if (!this.#requestComplete) this.#pumpBody();
  }

  /** Ends both sides, for a session or a workspace that is no more. */
  cut(): void {
    this.#connection?.destroy();
    this.#connection = null;
    this.#req.destroy();
    this.#finish();
  }

  #send(): boolean {
    const repeatable = this.#requestComplete && REPEATABLE.has(this.#req.method ?? "");
    try {
      this.#connection = this.#options.upstream.take(!repeatable || this.#retried);
    } catch (error) {
      this.#refuse(error instanceof TooManyConnections ? "busy" : "unreachable");
      return false;
    }
    this.#connection.begin(this.#options.head.text, this.#req.method === "HEAD", this);
    return true;
  }

  #pumpBody(): void {
    if (this.#req.headers.expect !== undefined) this.#res.writeContinue();
    const chunked = this.#framing === "chunked";
    this.#req.on("data", (chunk: Buffer) => {
      this.received += chunk.length;
      const connection = this.#connection;
      if (connection === null) return;
      if (!(chunked ? connection.writeChunk(chunk) : connection.write(chunk))) this.#req.pause();
    });
    this.#req.on("end", () => {
      this.#requestComplete = true;
      if (chunked) this.#connection?.writeText(`0\r\n${trailerLines(this.#req.rawTrailers)}\r\n`);
    });
  }

  onDrain(): void {
    this.#req.resume();
  }

  onHead(status: number, reason: string, headers: readonly string[]): void {
    if (status === 101) return this.#abandon("bad-response");
    const kept = responseHeaders(headers, this.#options.rules);
    if (kept === null) return this.#abandon("redirect-to-dashboard");
    try {
      this.#res.writeHead(status, reason, kept);
    } catch {
      return this.#abandon("bad-response");
    }
    this.#headSent = true;
    // Streams begin with a head that is followed by nothing for a while; it must not wait for the first chunk.
    this.#flushSoon();
  }

  onBody(chunk: Buffer): void {
    if (this.#over) return;
    const previous = this.#held;
    this.#held = chunk;
    if (previous !== null) this.#write(previous);
    this.#flushSoon();
  }

  onEnd(trailers: readonly string[]): void {
    if (this.#over) return;
    const connection = this.#connection;
    this.#connection = null;
    if (trailers.length > 0) this.#res.addTrailers(pairs(trailers));
    const last = this.#held;
    this.#held = null;
    if (last === null) this.#res.end();
    else this.#res.end(last);
    connection?.release(this.#requestComplete);
    if (!this.#requestComplete) this.#linger();
    this.#finish();
  }

  /** The container answered before it had read everything. The rest is read for a moment, or the answer would be lost. */
  #linger(): void {
    this.#req.resume();
    const timer = setTimeout(() => this.#req.destroy(), LINGER_MS).unref();
    this.#req.once("close", () => clearTimeout(timer));
  }

  onFailure(error: Error, untouched: boolean): void {
    if (this.#over) return;
    const reused = this.#connection?.reused ?? false;
    this.#connection = null;
    if (untouched && reused && !this.#retried) {
      this.#retried = true;
      this.#send();
      return;
    }
    if (this.#headSent) {
      // The length or the last chunk is missing: cutting the connection is the only honest end.
      this.#res.destroy(error);
      this.#finish();
    } else this.#refuse(untouched ? "unreachable" : "bad-response");
  }

  #abandon(failure: ForwardFailure): void {
    const connection = this.#connection;
    this.#connection = null;
    connection?.destroy();
    this.#refuse(failure);
  }

  #refuse(failure: ForwardFailure): void {
    if (this.#over) return;
    this.#finish();
    this.#options.onFailure(failure);
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      if (this.#over || this.#res.destroyed) return;
      const chunk = this.#held;
      this.#held = null;
      if (chunk !== null) this.#write(chunk);
      else this.#res.flushHeaders();
    });
  }

  #write(chunk: Buffer): void {
    if (this.#res.write(chunk)) return;
    this.#connection?.pause();
    this.#res.once("drain", () => this.#connection?.resume());
  }

  #onClientGone(): void {
    this.#connection?.destroy();
    this.#connection = null;
    this.#finish();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.onClose();
  }
}

function trailerLines(raw: readonly string[]): string {
  let text = "";
  for (let i = 0; i < raw.length; i += 2) {
    if (!FORBIDDEN_TRAILER.test(raw[i] ?? "")) text += `${raw[i]}: ${raw[i + 1]}\r\n`;
  }
  return text;
}

/** A trailer must not say what only a head may: whose request it is, where it goes and how long it is. */
const FORBIDDEN_TRAILER =
  /^(?:host|cookie|set-cookie|authorization|origin|content-length|transfer-encoding|connection|te|trailer|upgrade|forwarded|x-forwarded-.*|x-real-ip|x-codehub-.*)$/i;

function pairs(raw: readonly string[]): [string, string][] {
  const out: [string, string][] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? "";
    if (!FORBIDDEN_TRAILER.test(name)) out.push([name, raw[i + 1] ?? ""]);
  }
  return out;
}
