import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Endpoint } from "#core/rows/workspace.ts";
import type { ActivityWatch } from "#proxy/activity/watch.ts";
import { type Admission, isGuest } from "#proxy/door/admission.ts";
import { mayTakeItsTime } from "#proxy/door/body-deadline.ts";
import type { Origins, WorkspaceHost } from "#proxy/door/origins.ts";
import { isNavigation } from "#proxy/door/visit.ts";
import type { ProxyMetrics } from "#proxy/metrics.ts";
import { refuseConnection, refuseUpgrade, sendText } from "#proxy/pages/answers.ts";
import { sendPage } from "#proxy/pages/layout.ts";
import { blockedRedirectPage, noProgramPage, unreachablePage } from "#proxy/pages/plain-pages.ts";
import type { ContentChange } from "#proxy/wire/content-change.ts";
import { type ForwardFacts, requestHead, upgradeHead } from "#proxy/wire/request-head.ts";
import type { ResponseRules } from "#proxy/wire/response-head.ts";
import { Splice, type Tap } from "#proxy/wire/splice.ts";
import type { Streams } from "#proxy/wire/streams.ts";
import type { Upstream } from "#proxy/wire/upstream.ts";
import { Exchange, type ExchangeOwner, type ForwardFailure } from "./forward.ts";
import { GuestCount } from "./guest-count.ts";
import type { Instances } from "./instances.ts";

/** A request that was let in, and all that decides where it goes and what may come back. */
export interface Passage {
  readonly session: Admission;
  readonly endpoint: Endpoint;
  readonly host: WorkspaceHost;
  /** Origin-form, as the container is to see it. */
  readonly target: string;
  readonly facts: ForwardFacts;
  readonly rules: ResponseRules;
  /** What may be done to the response's content; null: nothing. */
  readonly change: ContentChange | null;
}

export interface CarrierDeps {
  readonly origins: Origins;
  readonly instances: Instances;
  readonly streams: Streams;
  readonly activity: ActivityWatch;
  readonly metrics: ProxyMetrics;
  /** The container did not answer where the row says it is: the row is worth reading again. */
  readonly onUnreachable: (workspaceId: string) => void;
}

/** Guests are no sign that the owner is there. */
const UNWATCHED: Tap = { fromClient: () => undefined, fromServer: () => undefined, close: () => undefined };

/** Brings a request that was let in to its container and the answer back. */
export class Carrier implements ExchangeOwner<Passage> {
  readonly #deps: CarrierDeps;
  /** Requests whose body is still coming in, with how much had come at the last look. */
  readonly #uploads = new Map<Exchange<Passage>, number>();
  readonly #guests = new GuestCount();

  constructor(deps: CarrierDeps) {
    this.#deps = deps;
  }

  request(req: IncomingMessage, res: ServerResponse, passage: Passage): void {
    const found = this.#deps.instances.find(passage.host, passage.endpoint);
    if (!(found instanceof Promise)) return this.#forward(req, res, passage, found);
    found.then(
      (upstream) => this.#forward(req, res, passage, upstream),
      () => this.#failed(req, res, passage, "unreachable"),
    );
  }

  #forward(req: IncomingMessage, res: ServerResponse, passage: Passage, upstream: Upstream | null): void {
    if (upstream === null) return this.#failed(req, res, passage, "unreachable");
    const head = requestHead(req, passage.target, passage.facts, passage.change !== null);
    if ("problem" in head) return refuseConnection(req, res, 400, `The request is not valid: ${head.problem}.`);
    if (!this.#guests.enter(passage)) return this.#failed(req, res, passage, "busy");
    mayTakeItsTime(req);
    if (!isGuest(passage.session)) this.#deps.activity.request(passage.session.workspaceId, req);
    const exchange = new Exchange(req, res, passage, upstream, head, this);
    this.#deps.streams.add(exchange);
    if (exchange.receiving) this.#uploads.set(exchange, -1);
    exchange.start();
  }

  exchangeFailed({ req, res, passage }: Exchange<Passage>, failure: ForwardFailure): void {
    this.#failed(req, res, passage, failure);
  }

  exchangeOver(exchange: Exchange<Passage>): void {
    this.#guests.leave(exchange.passage);
    this.#deps.metrics.requests.inc();
    this.#deps.streams.remove(exchange);
    if (this.#uploads.size > 0) this.#uploads.delete(exchange);
  }

  async upgrade(req: IncomingMessage, socket: Duplex, early: Buffer, passage: Passage): Promise<void> {
    const { activity, instances, metrics, streams } = this.#deps;
    const { endpoint, host, target, facts } = passage;
    const upstream = await Promise.resolve(instances.find(host, endpoint)).catch(() => null);
    if (socket.destroyed) return;
    if (upstream === null) return refuseUpgrade(socket, 502, "Nothing answers there.", 3);
    const observed = host.port === null && activity.understands(target);
    const head = upgradeHead(req, target, facts, observed);
    if ("problem" in head) return refuseUpgrade(socket, 400, `The request is not valid: ${head.problem}.`);
    const full = () => refuseUpgrade(socket, 503, "Too many requests are under way.", 1);
    if (!this.#guests.enter(passage)) return full();
    const splice = instances.budget.open(() => this.#splice(socket, passage, upstream, head.text, early, observed));
    if (splice === null) {
      this.#guests.leave(passage);
      return full();
    }
    metrics.sockets.inc();
    streams.add(splice);
    splice.start();
  }

  #splice(
    socket: Duplex,
    passage: Passage,
    upstream: Upstream,
    head: string,
    early: Buffer,
    observed: boolean,
  ): Splice {
    const { activity, instances, metrics, streams } = this.#deps;
    const { session, target, rules } = passage;
    const splice: Splice = new Splice(socket, {
      upstream,
      session,
      head,
      rules,
      early,
      tap: () => (isGuest(session) ? UNWATCHED : activity.socket(session.workspaceId, target, observed)),
      onClose: () => {
        instances.budget.give();
        this.#guests.leave(passage);
        streams.remove(splice);
        metrics.sockets.dec();
      },
    });
    return splice;
  }

  /** Ends uploads that send next to nothing: each would hold a connection for as long as it likes. */
  sweepUploads(minimumBytes: number): void {
    for (const [exchange, before] of this.#uploads) {
      if (before >= 0 && exchange.receiving && exchange.received - before < minimumBytes) exchange.cut();
      else this.#uploads.set(exchange, exchange.received);
    }
  }

  #failed(req: IncomingMessage, res: ServerResponse, passage: Passage, failure: ForwardFailure): void {
    const { metrics, origins, onUnreachable } = this.#deps;
    metrics.failures.inc({ reason: failure });
    const { workspaceId } = passage.session;
    const { port } = passage.host;
    if (failure === "unreachable") onUnreachable(workspaceId);
    if (failure === "busy") return sendText(res, 503, "Too many requests are under way.", { "Retry-After": "1" });
    if (!isNavigation(req.method, req.headers))
      return sendText(res, 502, "The workspace did not answer.", { "Retry-After": "3" });
    if (failure === "redirect-to-dashboard") return sendPage(res, blockedRedirectPage(origins.dashboard));
    sendPage(
      res,
      isGuest(passage.session) ? noProgramPage(port) : unreachablePage(origins.dashboard, workspaceId, port),
    );
  }
}
