import type { IncomingMessage } from "node:http";
import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { ProxyMetrics } from "#proxy/metrics.ts";
import { pathOf, queryOf } from "#proxy/wire/request-target.ts";
import type { Tap } from "#proxy/wire/splice.ts";
import { GenericSocket } from "./generic-socket.ts";
import { Faults, Guarded, type Observer } from "./guarded.ts";
import { PeriodicFilter, shortKey } from "./periodic.ts";
import { Presences } from "./presences.ts";
import { type Signal, VscodeSocket } from "./vscode-socket.ts";

/** Where it is noted that somebody used a workspace just now. */
export interface ActivitySink {
  readonly touch: (workspaceId: string) => void;
}

const TOKEN_MEMORY_MS = 600_000;
const MAX_WORKSPACES = 5_000;

/**
 * Tells a person's doing from what an idle tab does by itself, for everything that flows through the proxy. Nothing that
 * is called here throws: what is watched goes on, whatever becomes of the watching.
 */
export class ActivityWatch {
  readonly #sink: ActivitySink;
  readonly #clock: Clock;
  readonly #metrics: ProxyMetrics;
  readonly #faults: Faults;
  readonly #observers = new Set<Observer>();
  readonly #presences = new Presences();
  /** Looked up once: finding a labelled counter costs more than counting. */
  readonly #counters: Readonly<Record<Signal, { readonly inc: () => void }>>;
  readonly #polls = new Map<string, PeriodicFilter>();

  constructor(sink: ActivitySink, clock: Clock, metrics: ProxyMetrics, logger: Logger) {
    this.#sink = sink;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#faults = new Faults(clock, logger, metrics);
    this.#counters = {
      presence: metrics.activity.labels("presence"),
      editing: metrics.activity.labels("editing"),
      terminal_input: metrics.activity.labels("terminal_input"),
      terminal_output: metrics.activity.labels("terminal_output"),
      request: metrics.activity.labels("request"),
      message: metrics.activity.labels("message"),
    };
  }

  /** A plain request: somebody's, unless the same address is asked for at a fixed period. */
  request(workspaceId: string, req: IncomingMessage): void {
    try {
      if (this.#isPoll(workspaceId, req)) return;
    } catch (error) {
      this.#faults.note(error);
    }
    this.#note(workspaceId, "request");
  }

  /** Whether this WebSocket is one of VS Code's, whose messages say more than their sizes do. */
  understands(target: string): boolean {
    return target.includes("reconnectionToken=");
  }

  /** `understood`: compression was left out of the handshake, so the messages can be read. */
  socket(workspaceId: string, target: string, understood: boolean): Tap {
    const touch = () => this.#note(workspaceId, "message");
    const make = () =>
      understood ? this.#ofVscode(workspaceId, target, touch) : new GenericSocket(this.#clock, touch);
    const observer = new Guarded(make, this.#faults, touch);
    this.#observers.add(observer);
    return {
      fromClient: (chunk) => observer.fromClient(chunk),
      fromServer: (chunk) => observer.fromServer(chunk),
      close: () => {
        this.#observers.delete(observer);
        observer.close();
      },
    };
  }

  /** Called every few seconds. */
  tick(): void {
    for (const observer of this.#observers) observer.tick();
    this.#presences.forgetBefore(this.#clock.monotonicMs() - TOKEN_MEMORY_MS);
  }

  /** The general rule follows from the first byte and in silence: in the middle of a stream it would not find the frames. */
  #ofVscode(workspaceId: string, target: string, touch: () => void): Observer {
    let understood = true;
    const general = new GenericSocket(this.#clock, () => {
      if (!understood) touch();
    });
    const query = queryOf(target);
    const again = query.get("reconnection") === "true";
    const token = query.get("reconnectionToken") ?? "";
    const presence = this.#presences.of(workspaceId, token, again, this.#clock.monotonicMs());
    const socket = new VscodeSocket(this.#clock, presence, {
      onSignal: (signal) => this.#note(workspaceId, signal),
      onNotUnderstood: (reason) => {
        this.#metrics.activityFallbacks.inc({ reason });
        understood = false;
      },
    });
    return {
      fromClient: (chunk) => {
        general.fromClient(chunk);
        socket.fromClient(chunk);
      },
      fromServer: (chunk) => socket.fromServer(chunk),
      tick: () => socket.tick(),
      close: () => socket.close(),
    };
  }

  #isPoll(workspaceId: string, { method, url = "" }: IncomingMessage): boolean {
    if (method !== "GET" && method !== "HEAD") return false;
    return this.#pollsOf(workspaceId).isPeriodic(shortKey(pathOf(url)), this.#clock.monotonicMs());
  }

  #pollsOf(workspaceId: string): PeriodicFilter {
    const known = this.#polls.get(workspaceId);
    if (known !== undefined) return known;
    if (this.#polls.size >= MAX_WORKSPACES) this.#polls.clear();
    const filter = new PeriodicFilter();
    this.#polls.set(workspaceId, filter);
    return filter;
  }

  #note(workspaceId: string, signal: Signal): void {
    try {
      this.#counters[signal].inc();
      this.#sink.touch(workspaceId);
    } catch (error) {
      this.#faults.note(error);
    }
  }
}
