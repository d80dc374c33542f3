import type { OpenCheck } from "#core/checks/check.ts";
import { judgeChecks } from "#core/checks/judge-checks.ts";
import { checkOutcome } from "#core/checks/outcome.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { CheckStore } from "#ports/checks.ts";
import { OperationFailure } from "#ports/failure.ts";
import { NotLeader } from "#ports/store.ts";
import { NO_KEYS, setupFiles } from "./setup-files.ts";
import { jobSurroundings } from "./surroundings.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine } from "./trust.ts";

/** Where questions come from, of one leader's; `hints` says that there is a new one. */
export interface Checks {
  readonly store: (epoch: number) => CheckStore;
  readonly hints: { readonly subscribe: (onHint: () => void) => { end: () => void } };
}

/** How often it is looked whether somebody has asked, should nobody say so. */
const LOOK_MS = 5_000;
/** A job is small; those who wait are told that they do. */
const MOST_AT_ONCE = 3;
/** How long a host has. */
const HOST_LIMIT_SECONDS = 30;
/** With all that an engine does before and after. */
const LIMIT_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;
const FORGET_MS = 600_000;

const INTERRUPTED = { code: "interrupted" } as const;

/** Answers people who ask whether what they keep works, beside all else: for as long as this leader leads. */
export async function runChecks(term: TermContext, { store: storeOf, hints }: Checks): Promise<void> {
  const { deps, signal } = term;
  const checker = new Checker(term, storeOf(term.store.epoch));
  let wake = (): void => {};
  const listening = hints.subscribe(() => wake());
  try {
    while (!signal.aborted) {
      const woken = new AbortController();
      // Set before looking: who asks while it is looked wakes it for the next look.
      wake = () => woken.abort("woken");
      checker.onDone = wake;
      await checker.look();
      await deps.clock.sleep(LOOK_MS, AbortSignal.any([woken.signal, signal]));
    }
    await checker.settled();
  } finally {
    listening.end();
  }
}

class Checker {
  readonly #term: TermContext;
  readonly #store: CheckStore;
  readonly #underWay = new Map<string, Promise<void>>();
  #forgetAt = 0;
  onDone: () => void = () => {};

  constructor(term: TermContext, store: CheckStore) {
    this.#term = term;
    this.#store = store;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  /** One that fails is looked at again the next time. */
  async look(): Promise<void> {
    const { logger, signal, end } = this.#term;
    try {
      const { now, checks } = await this.#store.open();
      const underWay = new Set(this.#underWay.keys());
      const plan = judgeChecks(checks, { underWay, now, most: MOST_AT_ONCE });
      for (const id of plan.interrupted) await this.#clear(id);
      for (const id of plan.late) await this.#store.finish(id, INTERRUPTED);
      for (const check of plan.run) await this.#begin(check);
      await this.#forget();
    } catch (error) {
      if (error instanceof NotLeader) end("another leader has taken over");
      else if (!signal.aborted) logger.warn({ error: String(error) }, "tests of keys were not looked at");
    }
  }

  /** Its job may still be there, of a leader that is not. */
  async #clear(id: string): Promise<void> {
    await requireOurEngine(this.#term);
    await this.#term.world.jobs.end(id);
    await this.#store.finish(id, INTERRUPTED);
  }

  async #begin(check: OpenCheck): Promise<void> {
    if (this.#term.signal.aborted || !(await this.#store.begin(check.id))) return;
    const done = this.#run(check).finally(() => {
      this.#underWay.delete(check.id);
      this.onDone();
    });
    this.#underWay.set(check.id, done);
  }

  /** Never rejects: what could not be written down is found running, and is nobody's, by the next look. */
  async #run(check: OpenCheck): Promise<void> {
    const { logger, signal } = this.#term;
    try {
      const outcome = await this.#outcome(check);
      logger.info({ check: check.id, kind: check.kind, outcome: outcome.code }, "key tested");
      await this.#store.finish(check.id, outcome);
    } catch (error) {
      if (!signal.aborted) logger.warn({ check: check.id, error: String(error) }, "a test of a key was interrupted");
    }
  }

  async #outcome({ id, userId, kind, host, cloneUrl }: OpenCheck): Promise<Reason> {
    const { deps, world, signal } = this.#term;
    const which = kind === "ssh" ? ({ kind } as const) : ({ kind, host } as const);
    const keys = await deps.keyring?.openOne(userId, which);
    if (keys !== undefined && keys.locked.length > 0) return { code: "locked" };
    if (keys === undefined || (keys.sshKey === null && keys.credentials.length === 0)) return { code: "not_kept" };
    const { files: surroundings, env } = jobSurroundings(deps.surroundings);
    const files = [...surroundings, ...setupFiles({ ...NO_KEYS, ...keys })];
    const spec = { checkId: id, ownerId: userId, cloneUrl, limitSeconds: HOST_LIMIT_SECONDS, files, env };
    const limit = new AbortController();
    const over = new AbortController();
    const timing = deps.clock.sleep(LIMIT_MS, over.signal).then(() => {
      if (!over.signal.aborted) limit.abort(TIMED_OUT);
    });
    try {
      await requireOurEngine(this.#term);
      const answer = await world.setup.check(spec, { signal: AbortSignal.any([signal, limit.signal]) });
      return checkOutcome({ kind, host }, answer);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error === TIMED_OUT) return { code: "timed_out", fields: { seconds: LIMIT_MS / 1_000 } };
      if (error instanceof OperationFailure) return { code: "not_run", fields: { said: error.message.slice(0, 300) } };
      throw error;
    } finally {
      over.abort();
      await timing;
    }
  }

  async #forget(): Promise<void> {
    const now = this.#term.deps.clock.monotonicMs();
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + FORGET_MS;
    await this.#store.forget(KEPT_MS);
  }
}

const TIMED_OUT = new Error("the test took too long");
