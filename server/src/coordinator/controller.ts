import { NotLeader } from "#ports/store.ts";
import { Drivers } from "./drivers.ts";
import { Line } from "./line.ts";
import { DueQueue } from "./queue.ts";
import { type Crew, type Next, reconcile } from "./reconcile.ts";
import { RestoreTests } from "./restore-test.ts";
import { sweepOver } from "./sweep.ts";
import type { TermContext } from "./term.ts";
import { checkTrust } from "./trust.ts";

const POLL_LIMIT = 500;
/** A pass that threw is tried again after this long; what it was about has its own, longer backoff in the row. */
const AFTER_ERROR_MS = 5_000;
const WOKEN = "woken";

/** The WorkspaceController: keeps looking at what is due, what was hinted at and, in bulk, at everything that is up. */
export class Controller {
  readonly #term: TermContext;
  readonly #queue = new DueQueue();
  readonly #busy = new Set<string>();
  readonly #again = new Set<string>();
  readonly #line: Line;
  readonly #crew: Crew;
  #wake: () => void = () => {};
  #activeUntil = 0;
  #pollAt = 0;
  #sweepAt = 0;
  #sweeping: Promise<void> | null = null;

  constructor(term: TermContext) {
    this.#term = term;
    this.#line = new Line(term);
    const drivers = new Drivers(term, this.#line, (id) => {
      this.#callUp();
      this.hint(id);
    });
    this.#crew = { line: this.#line, drivers, tests: new RestoreTests(term) };
    term.signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  /** Look at this one now. Null: something was missed, look at everything. */
  hint(id: string | null): void {
    const now = this.#now();
    const { activeDurationMs, activeIntervalMs } = this.#term.deps.settings;
    this.#activeUntil = now + activeDurationMs;
    this.#pollAt = Math.min(this.#pollAt, now + activeIntervalMs);
    if (id === null) {
      this.#pollAt = now;
      this.#sweepAt = now;
    } else if (this.#busy.has(id)) {
      this.#again.add(id);
    } else {
      this.#queue.add(id, now, "first");
    }
    this.#wake();
  }

  /** Those whose turn it is go at once; each has its place until its pass is over. */
  #callUp(): void {
    const now = this.#now();
    for (const id of this.#line.callUp()) {
      if (this.#busy.has(id)) this.#again.add(id);
      else this.#queue.add(id, now, "first");
    }
  }

  /** Runs until the term ends. A failing step costs its tick; a failing workspace costs nobody else anything. */
  async run(): Promise<void> {
    const { signal, deps } = this.#term;
    while (!signal.aborted) {
      await this.#step("poll", () => this.#poll());
      await this.#step("sweep", () => this.#sweep());
      this.#callUp();
      this.#startDue();
      await this.#untilNext(deps.clock);
    }
    const under = Promise.all([this.#crew.drivers.settled(), this.#sweeping]);
    await Promise.race([under, deps.clock.sleep(deps.settings.leaseMs)]);
  }

  async #step(name: string, step: () => Promise<void>): Promise<void> {
    const { logger } = this.#term;
    try {
      await step();
    } catch (error) {
      if (error instanceof NotLeader) this.#term.end("another leader has taken over");
      else if (!this.#term.signal.aborted) logger.warn({ step: name, error: String(error) }, "tick skipped");
    }
  }

  /** Finds what is not settled, whether or not anybody told us. */
  async #poll(): Promise<void> {
    const now = this.#now();
    if (now < this.#pollAt) return;
    const { settings } = this.#term.deps;
    const active = now < this.#activeUntil || this.#queue.size > 0 || this.#busy.size > 0;
    this.#pollAt = now + (active ? settings.activeIntervalMs : settings.idleIntervalMs);
    for (const id of await this.#term.store.listUnsettled(POLL_LIMIT)) {
      if (!this.#queue.has(id) && !this.#busy.has(id)) this.#queue.add(id, now);
    }
  }

  /** Who answers is known before anything is looked at. The lists of everything are waited for by nobody: of ten thousand they take seconds. */
  async #sweep(): Promise<void> {
    const now = this.#now();
    if (this.#sweeping !== null || now < this.#sweepAt) return;
    this.#sweepAt = now + this.#term.deps.settings.convergePollMs;
    const answers = await checkTrust(this.#term);
    this.#sweeping = this.#step("sweep", () => this.#sweepOver(now, answers)).finally(() => {
      this.#sweeping = null;
      this.#wake();
    });
  }

  async #sweepOver(begunAt: number, answers: boolean): Promise<void> {
    const againAt = this.#sweepAt;
    for (const id of await sweepOver(this.#term, answers)) if (!this.#busy.has(id)) this.#queue.add(id, this.#now());
    // Seen through to the end, by an engine and a store that are ours: the next one can wait, unless one was asked for meanwhile.
    const { engine, store } = this.#term.trust;
    const isDone = engine === null && store === null && this.#sweepAt === againAt;
    if (isDone) this.#sweepAt = begunAt + this.#term.deps.settings.sweepIntervalMs;
  }

  #startDue(): void {
    const room = this.#term.deps.settings.maxPasses - this.#busy.size;
    if (room <= 0) return;
    for (const id of this.#queue.take(this.#now(), room, (one) => this.#busy.has(one))) {
      this.#busy.add(id);
      void this.#pass(id);
    }
  }

  async #pass(id: string): Promise<void> {
    let next: Next = AFTER_ERROR_MS;
    try {
      next = await reconcile(this.#term, this.#crew, id);
    } catch (error) {
      // Without a lease nothing was done, and whether the term is over is for the lock's session to say.
      if (error instanceof NotLeader) this.#term.end(error.message);
      else this.#term.logger.warn({ workspace: id, error: String(error) }, "pass failed");
    } finally {
      this.#busy.delete(id);
      this.#line.passed(id);
      if (next === null) this.#line.settled(id);
      // Whoever waits for room is called; should that fail, the row is looked at as rarely as one at rest.
      if (next === "turn") next = this.#term.deps.settings.sweepIntervalMs;
      if (this.#again.delete(id)) next = 0;
      if (next !== null) this.#queue.add(id, this.#now() + next);
      this.#wake();
    }
  }

  async #untilNext(clock: TermContext["deps"]["clock"]): Promise<void> {
    const full = this.#busy.size >= this.#term.deps.settings.maxPasses;
    const due = full ? Number.POSITIVE_INFINITY : this.#queue.nextAt((id) => this.#busy.has(id));
    const sweepAt = this.#sweeping === null ? this.#sweepAt : Number.POSITIVE_INFINITY;
    const waitMs = Math.min(due, this.#pollAt, sweepAt, this.#line.nextCallAt()) - this.#now();
    if (waitMs <= 0) return;
    const woken = new AbortController();
    // With a reason of its own: making the default one, an exception with a stack, costs more than the pass it wakes.
    this.#wake = () => woken.abort(WOKEN);
    if (!this.#term.signal.aborted) await clock.sleep(waitMs, woken.signal);
  }

  #now(): number {
    return this.#term.deps.clock.monotonicMs();
  }
}
