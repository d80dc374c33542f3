import type { Socket } from "node:net";
import type { WorkspaceSession } from "#ports/accounts.ts";
import type { ForwardFailure } from "./forward.ts";
import { mustRest } from "./pressure.ts";
import { type ResponseRules, responseHeaders } from "./response-head.ts";
import { letGo } from "./spent.ts";
import { OpenStream } from "./streams.ts";
import { trailerLines } from "./trailers.ts";
import { type Connection, type ExchangeSink, TooManyConnections, type Upstream } from "./upstream.ts";

export interface LaneOwner {
  /** The answer was sent, or the client is gone; called once. */
  laneExchangeOver(failure: ForwardFailure | null): void;
}

const SMALL_BODY_BYTES = 8 * 1024;

/** Carries one simple request and writes the answer straight to the client's socket. The same rules as everywhere else. */
export class LaneExchange extends OpenStream implements ExchangeSink {
  readonly session: WorkspaceSession;
  readonly #socket: Socket;
  readonly #upstream: Upstream;
  readonly #head: string;
  readonly #rules: ResponseRules;
  readonly #owner: LaneOwner;
  #connection: Connection | null = null;
  #retried = false;
  #over = false;
  /** The answer's head until the first of its body is there to go with it. */
  #unsentHead: string | null = null;
  #headSent = false;
  #chunked = false;
  #held: Buffer | null = null;

  constructor(
    socket: Socket,
    session: WorkspaceSession,
    upstream: Upstream,
    head: string,
    rules: ResponseRules,
    owner: LaneOwner,
  ) {
    super();
    this.#socket = socket;
    this.session = session;
    this.#upstream = upstream;
    this.#head = head;
    this.#rules = rules;
    this.#owner = owner;
  }

  start(): void {
    try {
      this.#connection = this.#upstream.take(this.#retried);
    } catch (error) {
      return this.#fail(error instanceof TooManyConnections ? "busy" : "unreachable");
    }
    this.#connection.begin(this.#head, false, this);
  }

  cut(): void {
    this.#socket.destroy();
    this.clientGone();
  }

  clientGone(): void {
    this.#drop();
    this.#finish(null);
  }

  /** The client's socket takes more again. */
  clientDrained(): void {
    this.#connection?.resume();
  }

  onDrain(): void {
    // A simple request is one write; there is nothing that could wait for this.
  }

  onHead(status: number, reason: string, headers: readonly string[]): void {
    const kept = status === 101 ? null : responseHeaders(headers, this.#rules);
    if (kept === null) {
      this.#drop();
      return this.#fail(status === 101 ? "bad-response" : "redirect-to-dashboard");
    }
    const bodyless = status === 204 || status === 304;
    let hasLength = false;
    let text = `HTTP/1.1 ${status} ${reason}\r\n`;
    for (let i = 0; i < kept.length; i += 2) {
      const name = kept[i] ?? "";
      if (name.length === 14 && name.toLowerCase() === "content-length") {
        hasLength = true;
        if (status === 204) continue;
      }
      text += `${name}: ${kept[i + 1]}\r\n`;
    }
    this.#chunked = !bodyless && !hasLength;
    this.#unsentHead = this.#chunked ? `${text}Transfer-Encoding: chunked\r\n\r\n` : `${text}\r\n`;
  }

  onBody(chunk: Buffer): void {
    if (this.#over) return;
    if (this.#held !== null) this.#write(this.#held);
    this.#held = chunk;
  }

  onPause(): void {
    if (this.#over) return;
    const chunk = this.#held;
    this.#held = null;
    if (chunk !== null) this.#write(chunk);
    else this.#sendHead();
  }

  onEnd(trailers: readonly string[]): void {
    if (this.#over) return;
    const last = this.#held;
    this.#held = null;
    const head = this.#unsentHead;
    if (last !== null && head !== null && !this.#chunked && last.length <= SMALL_BODY_BYTES) {
      this.#unsentHead = null;
      this.#socket.write(head + last.toString("latin1"), "latin1");
    } else {
      if (last !== null) this.#write(last);
      this.#sendHead();
      if (this.#chunked) this.#socket.write(`0\r\n${trailerLines(trailers)}\r\n`, "latin1");
    }
    const connection = this.#connection;
    this.#connection = null;
    connection?.release(true);
    this.#finish(null);
  }

  onFailure(_error: Error, untouched: boolean): void {
    if (this.#over) return;
    const reused = this.#connection?.reused ?? false;
    this.#connection = null;
    if (untouched && reused && !this.#retried) {
      this.#retried = true;
      this.start();
    } else if (this.#headSent) {
      // The length or the last chunk is missing: cutting the connection is the only honest end.
      this.#socket.destroy();
      this.#finish(null);
    } else this.#fail(untouched ? "unreachable" : "bad-response");
  }

  #sendHead(): void {
    const head = this.#unsentHead;
    if (head === null) return;
    this.#unsentHead = null;
    this.#headSent = true;
    this.#socket.write(head, "latin1");
  }

  #write(chunk: Buffer): void {
    this.#socket.cork();
    this.#sendHead();
    if (this.#chunked) this.#socket.write(`${chunk.length.toString(16)}\r\n`, "latin1");
    let more = this.#socket.write(chunk);
    if (this.#chunked) more = this.#socket.write("\r\n", "latin1");
    this.#socket.uncork();
    letGo(chunk, this.#socket);
    if (mustRest(more, this.#socket)) this.#connection?.pause();
  }

  #drop(): void {
    const connection = this.#connection;
    this.#connection = null;
    connection?.destroy();
  }

  #fail(failure: ForwardFailure): void {
    if (this.#over) return;
    const busy = failure === "busy";
    const text = busy ? "Too many requests are under way." : "The workspace did not answer.";
    this.#socket.write(
      `HTTP/1.1 ${busy ? "503 Service Unavailable" : "502 Bad Gateway"}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\nCache-Control: no-store\r\nRetry-After: ${busy ? 1 : 3}\r\n\r\n${text}`,
      "latin1",
    );
    this.#finish(failure);
  }

  #finish(failure: ForwardFailure | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#owner.laneExchangeOver(failure);
  }
}
