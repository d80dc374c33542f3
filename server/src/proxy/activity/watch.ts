import type { IncomingMessage } from "node:http";
import type { Clock } from "#ports/clock.ts";
import type { ProxyMetrics } from "../metrics.ts";
import { pathOf, queryOf } from "../request-target.ts";
import type { Tap } from "../splice.ts";
import { GenericSocket } from "./generic-socket.ts";
import { PeriodicFilter } from "./periodic.ts";
import { type Presence, type Signal, VscodeSocket } from "./vscode-socket.ts";

/** Where it is noted that somebody used a workspace just now. */
export interface ActivitySink {
  touch(workspaceId: string): void;
}

const TOKEN_MEMORY_MS = 600_000;
const MAX_TOKENS = 10_000;
const MAX_WORKSPACES = 5_000;

/** Tells a person's doing from what an idle tab does by itself, for everything that flows through the proxy. */
export class ActivityWatch {
  readonly #sink: ActivitySink;
  readonly #clock: Clock;
  readonly #metrics: ProxyMetrics;
  readonly #sockets = new Set<VscodeSocket>();
  readonly #presences = new Map<string, Presence>();
  /** Looked up once: finding a labelled counter costs more than counting. */
  readonly #counters: Readonly<Record<Signal, { inc(): void }>>;
  readonly #polls = new Map<string, PeriodicFilter>();

  constructor(sink: ActivitySink, clock: Clock, metrics: ProxyMetrics) {
    this.#sink = sink;
    this.#clock = clock;
    this.#metrics = metrics;
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
    if (req.method === "GET" || req.method === "HEAD") {
      const key = pathOf(req.url ?? "");
      if (this.#pollsOf(workspaceId).isPeriodic(key, this.#clock.monotonicMs())) return;
    }
    this.#note(workspaceId, "request");
  }

  /** Whether this WebSocket is one of VS Code's, whose messages say more than their sizes do. */
  understands(target: string): boolean {
    return target.includes("reconnectionToken=");
  }

  /** `understood`: compression was left out of the handshake, so the messages can be read. */
  socket(workspaceId: string, target: string, understood: boolean): Tap {
    const generic = () => new GenericSocket(this.#clock, () => this.#note(workspaceId, "message"));
    if (!understood) return generic();
    let fallback: Tap | null = null;
    const socket = new VscodeSocket(this.#clock, this.#presenceOf(workspaceId, queryOf(target)), {
      onSignal: (signal) => this.#note(workspaceId, signal),
      onNotUnderstood: (reason) => {
        this.#metrics.activityFallbacks.inc({ reason });
        fallback = generic();
      },
    });
    this.#sockets.add(socket);
    return {
      fromClient: (chunk) => {
        fallback?.fromClient(chunk);
        socket.fromClient(chunk);
      },
      fromServer: (chunk) => socket.fromServer(chunk),
      close: () => {
        socket.close();
        this.#sockets.delete(socket);
      },
    };
  }

  /** Called every few seconds. */
  tick(): void {
    for (const socket of this.#sockets) socket.tick();
    const oldest = this.#clock.monotonicMs() - TOKEN_MEMORY_MS;
    for (const [token, presence] of this.#presences) if (presence.at < oldest) this.#presences.delete(token);
  }

  /** A reconnecting tab goes on as what it was; only a new one starts as present. */
  #presenceOf(workspaceId: string, query: URLSearchParams): Presence {
    const key = `${workspaceId} ${query.get("reconnectionToken")}`;
    const known = this.#presences.get(key);
    const again = query.get("reconnection") === "true";
    if (known !== undefined) return known;
    const presence: Presence = { present: !again, spoke: again, at: this.#clock.monotonicMs() };
    if (this.#presences.size < MAX_TOKENS) this.#presences.set(key, presence);
    return presence;
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
    this.#counters[signal].inc();
    this.#sink.touch(workspaceId);
  }
}
