import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Admission } from "#proxy/door/admission.ts";
import { type ChangingContent, type ContentChange, changedHead, changedTrailers } from "#proxy/wire/content-change.ts";
import { mustRest } from "#proxy/wire/pressure.ts";
import type { RequestHead } from "#proxy/wire/request-head.ts";
import { type ResponseRules, responseHead, withoutAnnouncement } from "#proxy/wire/response-head.ts";
import { letGo } from "#proxy/wire/spent.ts";
import { OpenStream } from "#proxy/wire/streams.ts";
import { type NamedByConnection, requestTrailers, responseTrailers } from "#proxy/wire/trailers.ts";
import { type Connection, type ExchangeSink, TooManyConnections, type Upstream } from "#proxy/wire/upstream.ts";

/** Why a request could not be carried through; nothing of a response was sent yet. */
export type ForwardFailure = "unreachable" | "busy" | "bad-response" | "redirect-to-dashboard";

/** Whoever started an exchange. Both are called at most once. */
export interface ExchangeOwner<P extends ExchangePassage> {
  /** Answers in our own name; no byte was sent. */
  readonly exchangeFailed: (exchange: Exchange<P>, failure: ForwardFailure) => void;
  readonly exchangeOver: (exchange: Exchange<P>) => void;
}

/** What an exchange needs to know of where it came from. */
export interface ExchangePassage {
  readonly session: Admission;
  readonly rules: ResponseRules;
  readonly change: ContentChange | null;
}

const SMALL_BODY_BYTES = 8 * 1024;

/** Methods that may be sent again when the connection turned out to be closed before anything came back. */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Carries one request to the container and its response back, a chunk at a time in both directions: nothing is kept,
 * and whoever is slower sets the pace.
 */
export class Exchange<P extends ExchangePassage = ExchangePassage> extends OpenStream implements ExchangeSink {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly passage: P;
  /** Bytes of the request's body so far, for telling a slow upload from one that is held open on purpose. */
  received = 0;
  /** Whether more of the request's body is to come. */
  receiving: boolean;
  /** An earlier exchange on the same client connection that may still be under way. */
  earlier: Watched | null = null;
  readonly #owner: ExchangeOwner<P>;
  readonly #upstream: Upstream;
  readonly #head: RequestHead;
  #connection: Connection | null = null;
  #retried = false;
  #headSent = false;
  #named: NamedByConnection = null;
  #change: ChangingContent | null = null;
  #bodySent = false;
  #over = false;
  /** The last chunk is held back until all that arrived with it was read: with the end it makes one write, not two. */
  #held: Buffer | null = null;

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    passage: P,
    upstream: Upstream,
    head: RequestHead,
    owner: ExchangeOwner<P>,
  ) {
    super();
    this.req = req;
    this.res = res;
    this.passage = passage;
    this.#upstream = upstream;
    this.#head = head;
    this.#owner = owner;
    this.receiving = head.framing !== "none";
  }

  get session(): Admission {
    return this.passage.session;
  }

  get over(): boolean {
    return this.#over;
  }

  start(): void {
    // The client left while the way was looked up: nobody would be told of its end any more.
    if (this.req.socket.destroyed) return this.#finish();
    watchClient(this.req.socket, this);
    if (!this.#send()) return;
    if (this.receiving) this.#pumpBody();
  }

  cut(): void {
    this.#dropConnection();
    this.req.destroy();
    this.#finish();
  }

  /** The client closed its connection: nobody waits for an answer any more. */
  clientGone(): void {
    this.#dropConnection();
    this.#finish();
  }

  #send(): boolean {
    const repeatable = !this.receiving && REPEATABLE.has(this.req.method ?? "");
    try {
      this.#connection = this.#upstream.take(!repeatable || this.#retried);
    } catch (error) {
      this.#refuse(error instanceof TooManyConnections ? "busy" : "unreachable");
      return false;
    }
    this.#connection.begin(this.#head.text, this.req.method === "HEAD", this);
    return true;
  }

  #pumpBody(): void {
    if (this.req.headers.expect !== undefined) this.res.writeContinue();
    const chunked = this.#head.framing === "chunked";
    this.req.on("data", (chunk: Buffer) => {
      this.received += chunk.length;
      const connection = this.#connection;
      if (connection === null) return;
      if (!(chunked ? connection.writeChunk(chunk) : connection.write(chunk))) this.req.pause();
    });
    this.req.on("end", () => {
      this.receiving = false;
      if (chunked) this.#connection?.writeText(`0\r\n${requestTrailers(this.req.rawTrailers, this.#head.named)}\r\n`);
    });
  }

  onDrain(): void {
    if (this.receiving) this.req.resume();
  }

  onHead(status: number, reason: string, raw: readonly string[]): void {
    if (status === 101) return this.#abandon("bad-response");
    const kept = responseHead(status, raw, this.passage.rules);
    if (kept === null) return this.#abandon("redirect-to-dashboard");
    try {
      const headers = this.#changeFrom(status, kept.headers);
      this.res.writeHead(status, reason, withoutAnnouncement(headers, this.#mayChunk(status)));
      this.#named = kept.named;
      this.#headSent = true;
    } catch {
      this.#abandon("bad-response");
    }
  }

  /** From here on the content may be another than the container's, and the head is one that is true of it. */
  #changeFrom(status: number, headers: string[]): string[] {
    const { change } = this.passage;
    if (change === null) return headers;
    this.#change = change.begin(status, headers);
    // A 304 speaks of what the client has: that was changed when it came.
    return this.#change === null && status !== 304 ? headers : changedHead(headers);
  }

  /** Whether an answer whose length is not said goes to the client in chunks, with room for trailers behind them. */
  #mayChunk(status: number): boolean {
    return status !== 204 && status !== 304 && this.req.method !== "HEAD" && this.req.httpVersion === "1.1";
  }

  onBody(chunk: Buffer): void {
    if (this.#over) return;
    if (this.#held !== null) this.#write(this.#held);
    this.#held = this.#change === null ? chunk : this.#change.chunk(chunk);
  }

  /** Streams begin with a head that is followed by nothing for a while; it must not wait for the first chunk. */
  onPause(): void {
    if (this.#over || !this.#headSent) return;
    const chunk = this.#held;
    this.#held = null;
    if (chunk !== null) this.#write(chunk);
    else if (!this.#bodySent) this.res.flushHeaders();
  }

  onEnd(trailers: readonly string[]): void {
    if (this.#over) return;
    const connection = this.#connection;
    this.#connection = null;
    this.#change?.end();
    // All at once: each call forgets what the one before has added.
    if (trailers.length > 0) this.res.addTrailers(this.#trailers(trailers));
    this.#sendLast();
    connection?.release(!this.receiving);
    // The container answered before it had read everything; the rest is nobody's.
    if (this.receiving) this.req.resume();
    this.#finish();
  }

  #trailers(raw: readonly string[]): [string, string][] {
    const trailers = responseTrailers(raw, this.#named);
    return this.#change === null ? trailers : changedTrailers(trailers);
  }

  #sendLast(): void {
    const last = this.#held;
    this.#held = null;
    if (last === null) this.res.end();
    // Written as text, a small body shares one write with the head; as bytes it would take a slower one of two parts.
    else if (!this.#bodySent && last.length <= SMALL_BODY_BYTES) this.res.end(last.toString("latin1"), "latin1");
    else this.res.end(last);
  }

  onFailure(error: Error, untouched: boolean): void {
    if (this.#over) return;
    const reused = this.#connection?.reused ?? false;
    this.#connection = null;
    if (untouched && reused && !this.#retried) {
      this.#retried = true;
      this.#send();
    } else if (this.#headSent) {
      // The length or the last chunk is missing: cutting the connection is the only honest end.
      this.res.destroy(error);
      this.#finish();
    } else this.#refuse(untouched ? "unreachable" : "bad-response");
  }

  #write(chunk: Buffer): void {
    this.#bodySent = true;
    const wrote = this.res.write(chunk);
    letGo(chunk, this.res);
    if (!mustRest(wrote, this.res)) return;
    this.#connection?.pause();
    this.res.once("drain", () => this.#connection?.resume());
  }

  #abandon(failure: ForwardFailure): void {
    this.#dropConnection();
    this.#refuse(failure);
  }

  #dropConnection(): void {
    const connection = this.#connection;
    this.#connection = null;
    connection?.destroy();
  }

  #refuse(failure: ForwardFailure): void {
    if (this.#over) return;
    this.#finish();
    this.#owner.exchangeFailed(this, failure);
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#owner.exchangeOver(this);
  }
}

const CURRENT: unique symbol = Symbol("exchange");

/** What a client's connection has to do with an exchange, whatever it carries. */
type Watched = Pick<Exchange, "earlier" | "over" | "clientGone">;
type WatchedSocket = Socket & { [CURRENT]?: Watched };

/** One listener for each client connection, not one for each request. A client that pipelines has several under way. */
function watchClient(socket: WatchedSocket, exchange: Watched): void {
  const previous = socket[CURRENT];
  if (previous === undefined) {
    socket.once("close", () => {
      for (let open = socket[CURRENT] ?? null; open !== null; open = open.earlier) open.clientGone();
    });
  }
  let open: Watched | null = previous ?? null;
  while (open?.over) open = open.earlier;
  exchange.earlier = open;
  socket[CURRENT] = exchange;
}
