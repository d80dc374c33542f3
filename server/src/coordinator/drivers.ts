import type { OperationName, Workspace } from "#core/rows/workspace.ts";
import type { Made } from "#core/rules/completion.ts";
import type { Failure } from "#core/rules/errors.ts";
import { OPERATIONS } from "#core/rules/operations.ts";
import { isAwaited } from "#core/rules/room.ts";
import { failureOf, OperationFailure } from "#ports/failure.ts";
import { NotLeader, type Progress } from "#ports/store.ts";
import { fenced } from "./fenced.ts";
import { AttemptJourney } from "./journey.ts";
import { LeaseLost } from "./lease.ts";
import type { Ending, Line } from "./line.ts";
import { ACTS } from "./operations/acts.ts";
import type { AttemptContext } from "./operations/context.ts";
import type { TermContext } from "./term.ts";

const PROGRESS_EVERY_MS = 1_000;

/** Drives claimed operations: act, verify, commit; one per workspace, each on its own, none waiting for another. */
export class Drivers {
  readonly #term: TermContext;
  readonly #line: Line;
  readonly #onEnd: (id: string) => void;
  readonly #running = new Map<string, Promise<void>>();

  constructor(term: TermContext, line: Line, onEnd: (id: string) => void) {
    this.#term = term;
    this.#line = line;
    this.#onEnd = onEnd;
  }

  has(id: string): boolean {
    return this.#running.has(id);
  }

  start(row: Workspace): void {
    const { operation, opId } = row;
    if (operation === "NONE" || opId === null || this.#running.has(row.id)) return;
    this.#line.begin(row.id, { operation, awaited: isAwaited(row) });
    const done = this.#drive(row, operation, opId).then((how) => {
      this.#running.delete(row.id);
      this.#line.end(row.id, how);
      this.#onEnd(row.id);
    });
    this.#running.set(row.id, done);
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** Never rejects. Whatever is left undone stays claimed in the row, and the next pass takes it over. */
  async #drive(row: Workspace, operation: OperationName, opId: string): Promise<Ending> {
    const term = this.#term;
    const logger = term.logger.child({ workspace: row.id, operation, opId });
    const attempt = new Attempt(term, row, operation, opId);
    try {
      const failure = await attempt.run();
      if (failure === null) {
        logger.info({}, "operation completed");
        return "done";
      }
      logger.warn({ reason: failure.reason, detail: failure.message }, "attempt failed");
      return failure.reason === "Unreachable" ? "unreached" : "failed";
    } catch (error) {
      if (error instanceof NotLeader) term.end("another leader has taken over");
      else if (!term.signal.aborted) logger.warn({ error: messageOf(error) }, "attempt left for take-over");
      return "failed";
    }
  }
}

class Attempt {
  readonly #term: TermContext;
  readonly #row: Workspace;
  readonly #operation: OperationName;
  readonly #opId: string;
  readonly #journey: AttemptJourney;
  readonly #stop = new AbortController();
  #aliveAt: number;
  #savedAt: number;
  /** Came too soon after the one before it; whatever comes until it is saved takes its place. */
  #unsaved: Progress | null = null;

  constructor(term: TermContext, row: Workspace, operation: OperationName, opId: string) {
    this.#term = term;
    this.#row = row;
    this.#operation = operation;
    this.#opId = opId;
    this.#journey = new AttemptJourney(term, row);
    this.#aliveAt = term.deps.clock.monotonicMs();
    this.#savedAt = this.#aliveAt - PROGRESS_EVERY_MS;
  }

  /** Resolves to null when committed, to the failure when that was recorded; rejects when neither is certain. */
  run(): Promise<Failure | null> {
    return this.#journey.attempt(
      () => this.#run(),
      (failure) => failure?.reason ?? null,
    );
  }

  async #run(): Promise<Failure | null> {
    const end = (): void => this.#stop.abort();
    this.#term.signal.addEventListener("abort", end, { once: true });
    try {
      const outcome = await Promise.race([this.#act(), this.#watch()]);
      if ("failure" in outcome) return await this.#fail(outcome.failure);
      return await this.#journey.step("commit", () => this.#commit(outcome.made));
    } finally {
      this.#stop.abort();
      this.#term.signal.removeEventListener("abort", end);
    }
  }

  async #act(): Promise<{ made: Made } | { failure: Failure }> {
    const term = this.#term;
    const { signal } = this.#stop;
    const world = fenced(term.deps, () => {
      const leave = term.lease.enter();
      if (!signal.aborted) return leave;
      leave();
      throw signal.reason;
    });
    const progress = (now: Progress): void => this.#onProgress(now);
    try {
      const step: AttemptContext["step"] = (name, run) => this.#journey.step(name, run);
      const context = { term, world, row: this.#row, attempt: this.#opId, signal, progress, step };
      return { made: await ACTS[this.#operation](context) };
    } catch (error) {
      // Without the lease nothing may be concluded, not even that it failed: the next leader looks.
      if (error instanceof NotLeader || error instanceof LeaseLost || term.signal.aborted) throw error;
      return { failure: failureIn(error) };
    }
  }

  /** Resolves when the attempt has taken too long, or made no progress for too long where progress counts. */
  async #watch(): Promise<{ failure: Failure }> {
    const { clock, settings } = this.#term.deps;
    const limitMs = settings.timeoutsMs[this.#operation];
    while (!this.#stop.signal.aborted) {
      const leftMs = this.#aliveAt + limitMs - clock.monotonicMs();
      if (leftMs <= 0) {
        const failure = this.#progressCounts ? "no_progress" : "too_long";
        return { failure: failureOf("Timeout", failure, { limit_ms: limitMs }) };
      }
      await clock.sleep(leftMs, this.#stop.signal);
    }
    return await new Promise(() => {});
  }

  #onProgress(progress: Progress): void {
    const now = this.#term.deps.clock.monotonicMs();
    if (this.#progressCounts) this.#aliveAt = now;
    const isFirst = this.#unsaved === null;
    this.#unsaved = progress;
    if (isFirst) void this.#saveIn(this.#savedAt + PROGRESS_EVERY_MS - now);
  }

  /** The last word is always saved: what a start waits for may be said once and stay true for an hour. */
  async #saveIn(ms: number): Promise<void> {
    if (ms > 0) await this.#term.deps.clock.sleep(ms, this.#stop.signal);
    const progress = this.#unsaved;
    this.#unsaved = null;
    if (progress === null || this.#stop.signal.aborted) return;
    this.#savedAt = this.#term.deps.clock.monotonicMs();
    // Progress is for people: losing a line of it loses nothing.
    await this.#term.store.saveProgress(this.#row.id, this.#opId, progress).catch(() => {});
  }

  get #progressCounts(): boolean {
    return OPERATIONS[this.#operation].timeout === "since_progress";
  }

  async #commit(made: Made): Promise<Failure | null> {
    const { store, deps, world } = this.#term;
    const { keepVersions, trashRetentionMs } = deps.settings;
    // A second job of this attempt could write on after the commit. One that only reads an older archive is welcome.
    if (OPERATIONS[this.#operation].job !== null && (await world.jobs.find(this.#row.id)).includes(this.#opId)) {
      return await this.#fail(failureOf("ActionFailed", "job_still_runs"));
    }
    const input = {
      operation: this.#operation,
      opId: this.#opId,
      epoch: store.epoch,
      made,
      keepVersions,
      trashRetentionMs,
    };
    const committed = await store.mutate(this.#row.id, (facts) => deps.decisions.commit(facts, input));
    if (committed === null) throw new Error("The row is not this attempt's any more.");
    return null;
  }

  /** First the driver and the job are gone for certain, then the failure is told. */
  async #fail(failure: Failure): Promise<Failure> {
    this.#stop.abort();
    const { store, deps, world } = this.#term;
    await world.jobs.end(this.#row.id);
    const input = {
      operation: this.#operation,
      opId: this.#opId,
      epoch: store.epoch,
      failure,
      maxAttempts: deps.settings.maxAttempts,
      minimumBackoffMs: deps.settings.minimumBackoffMs,
      random: deps.ids.random(),
    };
    const failed = await store.mutate(this.#row.id, (facts) => deps.decisions.fail(facts, input));
    if (failed === null) throw new Error("The row is not this attempt's any more.");
    return failure;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An adapter that does not say more could not be reached: outages are retried for ever, and only they. */
function failureIn(error: unknown): Failure {
  if (error instanceof OperationFailure) return error;
  return { reason: "Unreachable", message: messageOf(error) };
}
