import { connect, type OnReadOpts, type Socket } from "node:net";
import type { PortAddress } from "#ports/runtime.ts";
import type { ConnectionBudget } from "./connection-budget.ts";
import { mustRest } from "./pressure.ts";
import { ResponseParser, type ResponseSink } from "./response-parser.ts";
import { letGo } from "./spent.ts";

/** Whoever waits for a response on a connection. Exactly one of onEnd and onFailure comes last. */
export interface ExchangeSink extends ResponseSink {
  /** `untouched`: no byte of a response had arrived. */
  readonly onFailure: (error: Error, untouched: boolean) => void;
  /** Everything that has arrived was passed on, and the response is not over. */
  readonly onPause: () => void;
  /** The connection takes more of the request's body again. */
  readonly onDrain: () => void;
}

export interface UpstreamLimits {
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  /** Shorter than the keep-alive time of common servers (5 s), so that we close first. */
  readonly idleMs: number;
}

export const UPSTREAM_LIMITS: UpstreamLimits = { maxConnections: 512, connectTimeoutMs: 5_000, idleMs: 4_000 };

export class TooManyConnections extends Error {
  override readonly name = "TooManyConnections";
}

/** Where to connect, and how to make sure after connecting who has accepted; null where nobody else could have. */
export interface Target {
  readonly address: PortAddress;
  readonly confirm: (() => Promise<boolean>) | null;
}

/** Opens a socket to an address that came from the row or from the runtime, and from nowhere else. */
export function dial({ address, confirm }: Target, timeoutMs: number, onread?: OnReadOpts): Socket {
  const reading = onread === undefined ? {} : { onread };
  const socket =
    address.kind === "unix"
      ? connect({ path: address.path, ...reading })
      : connect({
          host: address.host,
          port: address.port,
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: 30_000,
          ...reading,
        });
  const onTimeout = () => socket.destroy(new Error("the workspace did not accept a connection in time"));
  socket.setTimeout(timeoutMs, onTimeout);
  socket.once("connect", () => {
    socket.setTimeout(0);
    socket.off("timeout", onTimeout);
  });
  if (confirm !== null) holdUntil(socket, confirm);
  return socket;
}

/** Nothing is sent and nothing is read before it is sure that it was the right program that accepted. */
function holdUntil(socket: Socket, confirm: () => Promise<boolean>): void {
  socket.cork();
  socket.pause();
  const settle = (confirmed: boolean) => {
    if (!confirmed) return socket.destroy(new Error("another program is there now"));
    socket.uncork();
    return socket.resume();
  };
  socket.once("connect", () => void confirm().then(settle, () => settle(false)));
}

/**
 * Where every connection reads into: what came is copied out at once, so that the next one can use it. Most answers are
 * small, and Node's own way takes 64 KiB of fresh memory for each read.
 */
const COMMON: Buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** One connection to one container. It carries one exchange at a time and rests in its pool in between. */
export class Connection {
  readonly #pool: Upstream;
  readonly #socket: Socket;
  #sink: ExchangeSink | null = null;
  #parser: ResponseParser | null = null;
  #untouched = true;
  /** Since when it rests, on the pool's own coarse clock. */
  restingSince = 0;
  /** It has carried an exchange before, so the other side may be about to close it. */
  reused = false;

  constructor(pool: Upstream, connectTimeoutMs: number) {
    this.#pool = pool;
    const callback = (size: number): boolean => {
      this.#onData(Buffer.from(COMMON.subarray(0, size)));
      return true;
    };
    const socket = dial(pool, connectTimeoutMs, { buffer: COMMON, callback });
    this.#socket = socket;
    socket.on("end", () => this.#onEnd());
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection closed")));
    socket.on("drain", () => this.#sink?.onDrain());
  }

  begin(head: string, headOnly: boolean, sink: ExchangeSink): void {
    this.#sink = sink;
    this.#parser = new ResponseParser(sink, headOnly);
    this.#untouched = true;
    this.#socket.write(head, "latin1");
  }

  /** False: wait for onDrain. */
  write(chunk: Buffer): boolean {
    const wrote = this.#socket.write(chunk);
    letGo(chunk, this.#socket);
    return !mustRest(wrote, this.#socket);
  }

  writeChunk(chunk: Buffer): boolean {
    this.#socket.cork();
    this.#socket.write(`${chunk.length.toString(16)}\r\n`, "latin1");
    this.#socket.write(chunk);
    const wrote = this.#socket.write("\r\n", "latin1");
    this.#socket.uncork();
    letGo(chunk, this.#socket);
    return !mustRest(wrote, this.#socket);
  }

  writeText(text: string): void {
    this.#socket.write(text, "latin1");
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** The exchange is over: back to the pool when both sides kept to the protocol, else closed. */
  release(requestComplete: boolean): void {
    const reusable = requestComplete && (this.#parser?.reusable ?? false);
    this.#sink = null;
    this.#parser = null;
    if (!reusable) return this.destroy();
    if (this.#socket.isPaused()) this.#socket.resume();
    this.reused = true;
    this.#pool.rest(this);
  }

  /** Ends it without a word to the sink. */
  destroy(): void {
    this.#sink = null;
    this.#pool.forget(this);
    this.#socket.destroy();
  }

  /** Ends it and says so to whoever waits. */
  abort(): void {
    this.#fail(new Error("the workspace instance is gone"));
  }

  #onData(chunk: Buffer): void {
    const parser = this.#parser;
    // A byte that nobody asked for: the other side does not keep to the protocol.
    if (parser === null) return this.destroy();
    this.#untouched = false;
    try {
      parser.feed(chunk);
      if (!parser.done) this.#sink?.onPause();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #onEnd(): void {
    try {
      this.#parser?.finish();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
    if (this.#parser === null) this.destroy();
  }

  #fail(error: Error): void {
    const sink = this.#sink;
    this.destroy();
    sink?.onFailure(error, this.#untouched);
  }
}

/**
 * The connections to one instance of one container, or to one port of it. Never shared between workspaces, and thrown
 * away with the instance: a host port that is given to another container later cannot be reached through it.
 */
export class Upstream implements Target {
  readonly address: PortAddress;
  readonly confirm: Target["confirm"];
  readonly #budget: ConnectionBudget;
  readonly #limits: UpstreamLimits;
  readonly #all = new Set<Connection>();
  readonly #resting: Connection[] = [];
  #ticks = 0;

  constructor({ address, confirm }: Target, budget: ConnectionBudget, limits: UpstreamLimits = UPSTREAM_LIMITS) {
    this.address = address;
    this.confirm = confirm;
    this.#budget = budget;
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.size;
  }

  get resting(): number {
    return this.#resting.length;
  }

  /** `fresh`: for requests that must not be sent twice, and so never meet a connection that is about to close. */
  take(fresh: boolean): Connection {
    const resting = fresh ? undefined : this.#resting.pop();
    if (resting !== undefined) return resting;
    if (this.#all.size >= this.#limits.maxConnections && !this.closeOneResting()) {
      throw new TooManyConnections("the workspace has too many requests under way");
    }
    const connection = this.#budget.open(() => new Connection(this, this.#limits.connectTimeoutMs));
    if (connection === null) throw new TooManyConnections("all workspaces have too many requests under way");
    this.#all.add(connection);
    return connection;
  }

  rest(connection: Connection): void {
    connection.restingSince = this.#ticks;
    this.#resting.push(connection);
  }

  forget(connection: Connection): void {
    if (this.#all.delete(connection)) this.#budget.give();
    const index = this.#resting.indexOf(connection);
    if (index >= 0) this.#resting.splice(index, 1);
  }

  /** Called about once a second: closes connections that have rested for too long. */
  sweep(elapsedMs: number): void {
    this.#ticks += elapsedMs;
    for (const connection of [...this.#resting]) {
      if (this.#ticks - connection.restingSince >= this.#limits.idleMs) connection.destroy();
    }
  }

  /** Every exchange under way fails; nothing rests any more. */
  close(): void {
    for (const connection of [...this.#all]) connection.abort();
  }

  /** The one that has rested for longest; false when there is none. */
  closeOneResting(): boolean {
    const oldest = this.#resting[0];
    oldest?.destroy();
    return oldest !== undefined;
  }
}
