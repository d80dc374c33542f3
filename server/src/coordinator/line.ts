import type { OperationName, Workspace } from "#core/rows/workspace.ts";
import { OPERATIONS } from "#core/rules/operations.ts";
import { hasRoom, isAwaited, placeFreeInMs, storageJobsAfter, turnOf, type Work } from "#core/rules/room.ts";
import type { TermContext } from "./term.ts";

/** `unreached`: what it needed did not answer. */
export type Ending = "done" | "failed" | "unreached";

interface Place extends Work {
  readonly since: number;
}

interface Promised extends Place {
  /** Its turn came because it waited for so long: it has that right, and is housekeeping all the same. */
  readonly first: boolean;
}

/**
 * Who may begin, and who waits until there is room. A place is kept from the question on, because several ask at once, and
 * until the pass that asked is over or its operation is.
 */
export class Line {
  readonly #term: TermContext;
  readonly #waiting = new Map<string, Work>();
  /** Promised to a pass, which claims it or leaves it. */
  readonly #promised = new Map<string, Promised>();
  readonly #underWay = new Map<string, Place>();
  /** When each first asked on its way to where it is requested: a home that was just made is not sent to the end. */
  readonly #askedAt = new Map<string, number>();
  #storageJobs: number;

  constructor(term: TermContext) {
    this.#term = term;
    this.#storageJobs = term.deps.settings.maxStorageJobs;
  }

  /** Whether this may begin now. If not, it is in the line from here on. */
  ask(row: Workspace, operation: OperationName): boolean {
    const { id } = row;
    const now = this.#now();
    if (!this.#askedAt.has(id)) this.#askedAt.set(id, now);
    const first = this.#promised.get(id)?.first === true;
    this.#promised.delete(id);
    const work = { operation, awaited: isAwaited(row) };
    if (hasRoom({ operation, awaited: work.awaited || first }, this.#busy(now), this.#room)) {
      this.#waiting.delete(id);
      this.#promised.set(id, { ...work, first, since: now });
      return true;
    }
    this.#waiting.set(id, work);
    return false;
  }

  begin(id: string, work: Work): void {
    this.#promised.delete(id);
    this.#underWay.set(id, { ...work, since: this.#now() });
  }

  end(id: string, how: Ending): void {
    const operation = this.#underWay.get(id)?.operation;
    this.#underWay.delete(id);
    // Its next try is a new request: having failed gives it no place before others.
    if (how !== "done") this.#askedAt.delete(id);
    if (operation === undefined || OPERATIONS[operation].job !== "storage" || how === "failed") return;
    this.#storageJobs = storageJobsAfter(this.#storageJobs, how === "done", this.#term.deps.settings);
  }

  /** The pass that may have asked is over: what it was promised and did not take is free. */
  passed(id: string): void {
    this.#promised.delete(id);
  }

  /** It is where it is requested, or gone: when it asks again, that is a new request. */
  settled(id: string): void {
    this.#waiting.delete(id);
    this.#askedAt.delete(id);
  }

  /** Takes those out of the line whose turn it is, and keeps them a place until their pass. */
  callUp(): string[] {
    if (this.#waiting.size === 0) return [];
    const now = this.#now();
    const line = [...this.#waiting].map(([id, work]) => ({
      ...work,
      id,
      waitedMs: now - (this.#askedAt.get(id) ?? now),
    }));
    const called = turnOf(line, this.#busy(now), this.#room);
    for (const { id, operation, awaited } of called) {
      const isPersons = this.#waiting.get(id)?.awaited === true;
      this.#waiting.delete(id);
      this.#promised.set(id, { operation, awaited: isPersons, first: awaited && !isPersons, since: now });
    }
    return called.map(({ id }) => id);
  }

  /** When there may be room although nothing ended; Infinity where nobody waits. */
  nextCallAt(): number {
    if (this.#waiting.size === 0) return Number.POSITIVE_INFINITY;
    const now = this.#now();
    return now + placeFreeInMs(this.#busy(now), this.#room);
  }

  #busy(now: number) {
    const places = [...this.#underWay.values(), ...this.#promised.values()];
    return places.map(({ operation, awaited, since }) => ({ operation, awaited, ageMs: now - since }));
  }

  get #room() {
    return { ...this.#term.deps.settings, maxStorageJobs: this.#storageJobs };
  }

  #now(): number {
    return this.#term.deps.clock.monotonicMs();
  }
}
