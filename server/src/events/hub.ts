import type { WorkspaceSummary } from "@codehub/contract";
import type { SessionStore, TokenStore } from "#ports/accounts.ts";
import type { Bus, Subscription } from "#ports/bus.ts";
import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { Views, WorkspaceSummaryView } from "#ports/views.ts";
import { type Channels, parseChange, proxyChannel, resyncChannel, SESSIONS, userChannel } from "./channels.ts";
import { type EventSink, SseClient, type StreamOwner } from "./sse-client.ts";
import { UserFeed } from "./user-feed.ts";

export interface HubDeps {
  readonly bus: Bus;
  readonly channels: Channels;
  readonly views: Pick<Views, "summariesOf" | "ofOwner">;
  readonly sessions: Pick<SessionStore, "alive">;
  readonly tokens: Pick<TokenStore, "alive">;
  /** How a workspace looks to its owner. */
  readonly present: (view: WorkspaceSummaryView) => WorkspaceSummary;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly count: (type: string, clients: number) => void;
}

const HEARTBEAT_MS = 30_000;
/** A stream ends within twice this of its session's end, whoever ended it. */
const LIVENESS_MS = 4_000;
const MAX_STREAMS_PER_USER = 64;

interface Entry {
  readonly feed: UserFeed;
  readonly subscription: Promise<Subscription>;
}

/** All event streams of this process. One subscription per user, however many tabs are open. */
export class EventHub {
  readonly #deps: HubDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();
  readonly #loops: Promise<unknown>;
  readonly #loss: Subscription;
  readonly #resync: Promise<Subscription>;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#loss = deps.bus.onLoss(() => this.#invalidateAll("the bus was away"));
    this.#resync = deps.bus.subscribe(resyncChannel(deps.channels), () => this.#invalidateAll("events may be missing"));
    this.#loops = Promise.all([
      this.#every(HEARTBEAT_MS, () => this.#heartbeat()),
      this.#every(LIVENESS_MS, () => this.#endDead()),
    ]);
  }

  get clientCount(): number {
    let count = 0;
    for (const { feed } of this.#entries.values()) count += feed.clients.size;
    return count;
  }

  readonly limit: number = MAX_STREAMS_PER_USER;

  isFull(userId: string): boolean {
    return (this.#entries.get(userId)?.feed.clients.size ?? 0) >= this.limit;
  }

  /** Begins a stream; its first event is a snapshot. */
  async connect(owner: StreamOwner, sink: EventSink): Promise<void> {
    // Who left before the stream began would never be seen to leave.
    if (sink.destroyed) return;
    const entry = this.#entryOf(owner.userId);
    const { feed } = entry;
    const client = new SseClient(owner, sink, () => feed.wake());
    // Counted at once, so that the entry is not taken down while the subscription is being made.
    feed.clients.add(client);
    sink.once("close", () => {
      client.closed();
      this.#drop(entry, client);
    });
    // Subscribed before the snapshot is read: a change is either in the snapshot or heard of after it.
    await entry.subscription;
    feed.wake();
  }

  /** At once in this process; others notice with their next look at the sessions. */
  endCredential(credentialId: string): void {
    this.#endWhere((client) => client.owner.credentialId === credentialId);
    this.#tellProxies();
  }

  endUser(userId: string, except: string | null = null): void {
    this.#endWhere((client) => client.owner.userId === userId && client.owner.credentialId !== except);
    this.#tellProxies();
  }

  /** Open workspaces are looked at again at once; a message that is lost costs the few seconds until the next look. */
  #tellProxies(): void {
    const { bus, channels } = this.#deps;
    bus.publish(proxyChannel(channels), SESSIONS).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#loss.end();
    (await this.#resync).end();
    this.#endWhere(() => true);
    await this.#loops;
  }

  #entryOf(userId: string): Entry {
    const existing = this.#entries.get(userId);
    if (existing !== undefined) return existing;
    const { bus, channels, views, present, logger, count, clock } = this.#deps;
    const pause = () => clock.sleep(1_000, this.#stop.signal);
    const feed = new UserFeed(userId, { views, present, logger, count, pause });
    const subscription = bus.subscribe(userChannel(channels, userId), (message) => {
      const change = parseChange(message);
      if (change !== null) feed.note(change);
    });
    const entry = { feed, subscription };
    this.#entries.set(userId, entry);
    return entry;
  }

  #drop(entry: Entry, client: SseClient): void {
    const { feed } = entry;
    feed.clients.delete(client);
    if (feed.clients.size > 0 || this.#entries.get(feed.userId) !== entry) return;
    this.#entries.delete(feed.userId);
    void entry.subscription.then((subscription) => subscription.end());
  }

  #endWhere(predicate: (client: SseClient) => boolean): void {
    for (const { feed } of this.#entries.values())
      for (const client of feed.clients) if (predicate(client)) client.end();
  }

  #invalidateAll(reason: string): void {
    for (const { feed } of this.#entries.values()) feed.invalidate(reason);
  }

  #heartbeat(): void {
    for (const { feed } of this.#entries.values()) for (const client of feed.clients) client.heartbeat();
  }

  async #endDead(): Promise<void> {
    const clients = [...this.#entries.values()].flatMap(({ feed }) => [...feed.clients]);
    const ids = (via: "cookie" | "token") => [
      ...new Set(clients.filter(({ owner }) => owner.via === via).map(({ owner }) => owner.credentialId)),
    ];
    const [cookies, tokens] = [ids("cookie"), ids("token")];
    const [liveSessions, liveTokens] = await Promise.all([
      cookies.length === 0 ? new Set<string>() : this.#deps.sessions.alive(cookies),
      tokens.length === 0 ? new Set<string>() : this.#deps.tokens.alive(tokens),
    ]);
    for (const client of clients) {
      const live = client.owner.via === "cookie" ? liveSessions : liveTokens;
      if (!live.has(client.owner.credentialId)) client.end();
    }
  }

  async #every(ms: number, work: () => void | Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#deps.clock.sleep(ms, signal);
      if (signal.aborted) return;
      try {
        await work();
      } catch (error) {
        // While the database is away nobody can sign out either; the next look makes up for it.
        this.#deps.logger.warn({ error: String(error) }, "open streams could not be checked");
      }
    }
  }
}
