import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ActivityWatch } from "./activity/watch.ts";
import type { Passage } from "./carrier.ts";
import type { ForwardFailure } from "./forward.ts";
import type { Instances } from "./instances.ts";
import { LaneExchange, type LaneOwner } from "./lane-exchange.ts";
import type { ProxyMetrics } from "./metrics.ts";
import type { Origins } from "./origins.ts";
import { type ForwardFacts, headAfterLine, requestLine } from "./request-head.ts";
import { type SimpleRequest, SimpleRequestReader } from "./simple-request.ts";
import type { Streams } from "./streams.ts";
import type { Upstream } from "./upstream.ts";
import type { WorkspaceSite } from "./workspace-site.ts";

export interface LaneDeps {
  readonly origins: Origins;
  readonly site: WorkspaceSite;
  readonly instances: Instances;
  readonly streams: Streams;
  readonly activity: ActivityWatch;
  readonly metrics: ProxyMetrics;
  readonly onUnreachable: (workspaceId: string) => void;
}

const IDLE_MS = 65_000;

/**
 * A short cut for simple requests that may pass at once: they are read and answered on the socket itself, without the
 * objects that Node's server makes for each. Whatever is not plainly simple, and whatever would not pass, goes to that
 * server with every byte of it, and its connection stays there. So the lane never refuses, and never interprets anything
 * that could be read in two ways.
 */
export class FastLane {
  readonly #deps: LaneDeps;
  readonly #open = new Set<LaneConnection>();

  constructor(deps: LaneDeps) {
    this.#deps = deps;
  }

  accept(socket: Socket, handOver: (socket: Socket) => void): void {
    const connection = new LaneConnection(socket, this.#deps, handOver, () => this.#open.delete(connection));
    this.#open.add(connection);
  }

  closeIdle(): void {
    for (const connection of this.#open) connection.closeIfIdle();
  }

  closeAll(): void {
    for (const connection of this.#open) connection.close();
  }
}

class LaneConnection implements LaneOwner {
  readonly #socket: Socket;
  readonly #deps: LaneDeps;
  readonly #handOver: (socket: Socket) => void;
  readonly #left: () => void;
  readonly #reader = new SimpleRequestReader();
  #said: { headers: IncomingMessage["headers"]; facts: ForwardFacts; text: string } | null = null;
  #exchange: LaneExchange | null = null;
  #workspaceId = "";
  /** What came while an answer was under way. Whoever does that is served by the other parser from then on. */
  #early: Buffer[] = [];

  constructor(socket: Socket, deps: LaneDeps, handOver: (socket: Socket) => void, left: () => void) {
    this.#socket = socket;
    this.#deps = deps;
    this.#handOver = handOver;
    this.#left = left;
    socket.on("data", this.#onData);
    socket.on("drain", this.#onDrain);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
    socket.setTimeout(IDLE_MS, this.#onIdle);
  }

  closeIfIdle(): void {
    if (this.#exchange === null) this.#socket.destroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#exchange !== null) {
      this.#early.push(chunk);
      this.#socket.pause();
      return;
    }
    const request = this.#reader.read(chunk);
    if (request === null || !this.#serve(request)) this.#leave(chunk);
  };

  /** False when it would not pass at once, for whatever reason. */
  #serve(request: SimpleRequest): boolean {
    const { origins, site, instances, activity } = this.#deps;
    const host = origins.match(request.headers["host"]);
    if (host?.kind !== "workspace" || request.url.startsWith("/.codehub/")) return false;
    // The parts that are read are the same in both kinds of request.
    const req = request as unknown as IncomingMessage;
    const passage = site.passAtOnce(req, host);
    if (passage === null) return false;
    const upstream = instances.find(host, passage.endpoint);
    if (upstream instanceof Promise) {
      // Whoever serves it next asks the same, and answers for a failure.
      upstream.catch(() => undefined);
      return false;
    }
    if (upstream === null) return false;
    const rest = this.#headAfterLine(req, passage.facts);
    if (rest === null) return false;
    activity.request(host.workspaceId, req);
    this.#start(passage, upstream, requestLine(request.method, request.url) + rest);
    return true;
  }

  /** The same headers to the same host are told to the container in the same words. */
  #headAfterLine(req: IncomingMessage, facts: ForwardFacts): string | null {
    const said = this.#said;
    if (said !== null && said.headers === req.headers && said.facts === facts) return said.text;
    const head = headAfterLine(req, facts);
    if ("problem" in head) return null;
    this.#said = { headers: req.headers, facts, text: head.text };
    return head.text;
  }

  #start({ session, rules }: Passage, upstream: Upstream, head: string): void {
    const exchange = new LaneExchange(this.#socket, session, upstream, head, rules, this);
    this.#workspaceId = session.workspaceId;
    this.#exchange = exchange;
    this.#deps.streams.add(exchange);
    exchange.start();
  }

  laneExchangeOver(failure: ForwardFailure | null): void {
    const { metrics, streams, onUnreachable } = this.#deps;
    const exchange = this.#exchange;
    this.#exchange = null;
    metrics.requests.inc();
    if (exchange !== null) streams.remove(exchange);
    if (failure !== null) metrics.failures.inc({ reason: failure });
    if (failure === "unreachable") onUnreachable(this.#workspaceId);
    if (this.#early.length > 0) this.#leave(Buffer.concat(this.#early));
    else if (this.#socket.readableEnded) this.#socket.end();
  }

  /** Gives the connection to Node's server, with what was read and not answered. */
  #leave(unread: Buffer): void {
    const socket = this.#socket;
    socket.pause();
    socket.setTimeout(0);
    socket.off("timeout", this.#onIdle);
    socket.off("data", this.#onData).off("drain", this.#onDrain).off("end", this.#onEnd);
    socket.off("error", this.#onError).off("close", this.#onClose);
    this.#left();
    if (socket.destroyed) return;
    this.#handOver(socket);
    socket.unshift(unread);
    socket.resume();
  }

  readonly #onDrain = (): void => this.#exchange?.clientDrained();

  /** The client sends no more; what it asked for is still answered. */
  readonly #onEnd = (): void => {
    if (this.#exchange === null) this.#socket.end();
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#left();
    this.#exchange?.clientGone();
  };

  readonly #onIdle = (): void => {
    if (this.#exchange === null) this.#socket.destroy();
  };
}
