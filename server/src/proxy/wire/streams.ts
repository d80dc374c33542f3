import type { SharingBound } from "#core/requests/sharing.ts";
import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import { type Admission, isGuest, mayStay } from "#proxy/door/admission.ts";
import type { Gate } from "#proxy/door/gate.ts";

/**
 * Anything that was let in and is under way: a request, a WebSocket, an event stream, a long download. It knows its
 * neighbours in the list of all, so that it can leave without being looked for.
 */
export abstract class OpenStream {
  before: OpenStream | null = null;
  after: OpenStream | null = null;
  abstract readonly session: Admission;
  /** It has no end of its own: waiting for it is in vain. */
  readonly isEndless: boolean = false;
  /** Ends both sides, for a session or a workspace that is no more. */
  abstract cut(): void;
}

/** Streams are looked at twice in the time within which a revocation must have ended them. */
export const RECHECK_MS = 5_000;
/** Without an answer from the database streams stay: it cannot have been told of a logout either. Not for ever. */
const UNKNOWN_LIMIT_MS = 300_000;

/**
 * Everything that is under way, so that it can be ended when session, user or workspace are no more. Every request enters
 * and leaves once, so that costs two assignments; a Set would hash each of them, which is noticeable at tens of thousands
 * a second.
 */
export class Streams {
  #first: OpenStream | null = null;
  #size = 0;
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #bound: SharingBound;
  #lastAnswer: number;

  constructor(gate: Gate, clock: Clock, logger: Logger, bound: SharingBound) {
    this.#gate = gate;
    this.#clock = clock;
    this.#logger = logger;
    this.#bound = bound;
    this.#lastAnswer = clock.monotonicMs();
  }

  get size(): number {
    return this.#size;
  }

  add(stream: OpenStream): void {
    stream.after = this.#first;
    stream.before = null;
    if (this.#first !== null) this.#first.before = stream;
    this.#first = stream;
    this.#size += 1;
  }

  /** Of one that is in the list; one that has left already is let be. */
  remove(stream: OpenStream): void {
    if (stream.before === null && this.#first !== stream) return;
    if (stream.before === null) this.#first = stream.after;
    else stream.before.after = stream.after;
    if (stream.after !== null) stream.after.before = stream.before;
    stream.before = null;
    stream.after = null;
    this.#size -= 1;
  }

  /** Asks for all at once and ends those that may not stay. */
  async recheck(): Promise<void> {
    const streams = this.#all();
    if (streams.length === 0) {
      this.#lastAnswer = this.#clock.monotonicMs();
      return;
    }
    const sessions = streams.map(({ session }) => session);
    const sessionIds = new Set(sessions.flatMap(({ sessionId }) => sessionId ?? []));
    const withGuests = new Set(sessions.filter(isGuest).map(({ workspaceId }) => workspaceId));
    const workspaceIds = new Set(sessions.map(({ workspaceId }) => workspaceId));
    try {
      const { alive, rows, shares } = await this.#gate.recheck([...sessionIds], [...workspaceIds], [...withGuests]);
      this.#lastAnswer = this.#clock.monotonicMs();
      const facts = { shares, bound: this.#bound, now: this.#clock.nowMs() };
      this.#cut(
        streams,
        (session) =>
          (session.sessionId === null || alive.has(session.sessionId)) &&
          mayStay({ row: rows.get(session.workspaceId), ...facts }, session),
      );
    } catch (error) {
      this.#logger.warn({ error: String(error), open: streams.length }, "open streams could not be checked again");
      if (this.#clock.monotonicMs() - this.#lastAnswer > UNKNOWN_LIMIT_MS) this.#cut(streams, () => false);
    }
  }

  /** One workspace changed, or was deleted: its streams are looked at now. */
  async recheckWorkspace(workspaceId: string): Promise<void> {
    const streams = this.#all().filter((stream) => stream.session.workspaceId === workspaceId);
    if (streams.length === 0) return;
    const hasGuests = streams.some(({ session }) => isGuest(session));
    const [row, shares] = await Promise.all([
      this.#gate.row(workspaceId),
      hasGuests ? this.#gate.shares(workspaceId) : [],
    ]);
    const facts = { row: row ?? undefined, shares: shares ?? [], bound: this.#bound, now: this.#clock.nowMs() };
    this.#cut(streams, (session) => mayStay(facts, session));
  }

  cutAll(): void {
    this.#cut(this.#all(), () => false);
  }

  /** Whoever is at the other end of these connects again, elsewhere. */
  cutEndless(): void {
    const endless = this.#all().filter((stream) => stream.isEndless);
    this.#cut(endless, () => false);
  }

  #all(): OpenStream[] {
    const streams: OpenStream[] = [];
    for (let stream = this.#first; stream !== null; stream = stream.after) streams.push(stream);
    return streams;
  }

  #cut(streams: readonly OpenStream[], stays: (session: Admission) => boolean): void {
    for (const stream of streams) {
      if (stays(stream.session)) continue;
      this.remove(stream);
      stream.cut();
    }
  }
}
