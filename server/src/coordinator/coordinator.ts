import { FIRST_TICK_MS } from "#core/rules/gc.ts";
import type { FormerTerm, Sighting } from "#core/rules/succession.ts";
import type { Term } from "#ports/election.ts";
import { NotLeader } from "#ports/store.ts";
import { runChecks } from "./checks.ts";
import { Controller } from "./controller.ts";
import { DatabaseClock } from "./database-clock.ts";
import type { CoordinatorDeps } from "./deps.ts";
import { fenced } from "./fenced.ts";
import { advanceGeneration, collectGarbage, removeMarked } from "./gc.ts";
import { Lease } from "./lease.ts";
import { expireDeleted, reap } from "./reaper.ts";
import type { TermContext } from "./term.ts";
import { untried } from "./trust.ts";
import { ttlRunner } from "./ttl.ts";
import { thinUsage, UsageWatch } from "./usage.ts";

const FORGET_EVERY_MS = 3_600_000;

/** Campaigns, leads while it can, and campaigns again, until told to stop. Several of these may run; one leads. */
export async function runCoordinator(deps: CoordinatorDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const term = await deps.election.campaign(signal).catch((error: unknown) => {
      deps.logger.warn({ error: String(error) }, "campaign failed");
      return null;
    });
    if (term !== null) await lead(deps, term, signal);
    await deps.clock.sleep(deps.settings.campaignIntervalMs, signal);
  }
}

/** One term, from the lock to its release. Never rejects. */
async function lead(deps: CoordinatorDeps, term: Term, outer: AbortSignal): Promise<void> {
  const logger = deps.logger.child({ epoch: term.epoch });
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, outer, term.lost]);
  const lease = new Lease(deps.clock, deps.settings.leaseMs);
  const context: TermContext = {
    deps,
    store: term.store,
    world: fenced(deps, () => lease.enter()),
    lease,
    databaseClock: new DatabaseClock(deps.clock),
    logger,
    signal,
    end: (why) => {
      if (!over.signal.aborted) logger.warn({ why }, "stepping down");
      over.abort();
    },
    trust: untried(),
  };
  logger.info({}, "leading");
  try {
    await Promise.all([keepLease(context, term), govern(context, term)]);
  } catch (error) {
    logger.error({ error: String(error) }, "term ended by an error");
  } finally {
    over.abort();
    // Something that is still under way keeps the next leader waiting, as if this one had been cut off.
    if (lease.giveBack()) await term.end().catch(() => {});
    await term.release();
    logger.info({}, "not leading any more");
  }
}

/**
 * Renews the lease by a round trip on the lock's own session; ends the term when it cannot. A lease that ran out meanwhile
 * (a machine that is too busy, a process that was stopped) only means that nothing was done since: a session that answers has
 * held the lock all along, and whoever takes it afterwards waits for a whole lease from then on.
 */
async function keepLease(context: TermContext, term: Term): Promise<void> {
  const { clock, settings } = context.deps;
  while (!context.signal.aborted) {
    const sentAt = clock.monotonicMs();
    const answer = await term.ping().catch(() => null);
    // Said first: a session that is dead has ended the term already.
    if (answer === null) return context.end("the lock's session is dead");
    if (context.signal.aborted) return;
    if (context.lease.remainingMs <= 0) context.logger.warn({}, "the lease had run out, and is renewed");
    context.lease.renewFrom(sentAt);
    context.databaseClock.saw(answer);
    // An answer that is older than a lease renews nothing: asked again at once.
    if (context.lease.remainingMs > 0) await clock.sleep(settings.pingIntervalMs, context.signal);
  }
}

/** The right to act: at once where nobody is left who could have it, else when every lease before this one has run out. */
async function takeOffice({ deps, logger, signal }: TermContext, term: Term): Promise<void> {
  const { former } = term;
  const seen = await sightingOf(deps, former);
  const { verdict, why } = deps.decisions.judgeFormerLeader(former, await deps.witness.self(), seen);
  if (verdict === "gone") {
    logger.info({ former: former.epoch, why }, "the former leader is gone: its lease is not waited for");
  } else {
    logger.info({ former: former.epoch, why }, "waiting for the lease of the former leader to run out");
    await deps.clock.sleep(deps.settings.leaseMs, signal);
  }
  if (!signal.aborted) await term.begin();
}

/** Of the process that led before, as this machine shows it; what cannot be seen may be there. */
async function sightingOf({ witness }: CoordinatorDeps, { holder }: FormerTerm): Promise<Sighting> {
  return holder === null
    ? { kind: "hidden" }
    : await witness.look(holder.pid).catch(() => ({ kind: "hidden" }) as const);
}

/** What the leader does, once it may. */
async function govern(context: TermContext, term: Term): Promise<void> {
  const { deps, signal } = context;
  const { settings } = deps;
  await takeOffice(context, term);
  if (signal.aborted) return;
  deps.onTerm?.(context.store.epoch, signal);
  const controller = new Controller(context);
  const hints = deps.hints.subscribe((id) => controller.hint(id));
  const watching = deps.runtime
    .watch((id) => controller.hint(id), signal)
    .catch((error: unknown) => {
      context.logger.warn({ error: String(error) }, "engine events are not seen; polling goes on");
    });
  const parts = Promise.all([
    controller.run(),
    every(context, "ttl", settings.ttlIntervalMs, ttlRunner(context)),
    every(context, "expiry", settings.housekeepingIntervalMs, () => expireDeleted(context)),
    every(context, "reaper", settings.housekeepingIntervalMs, () => reap(context)),
    every(context, "generation", settings.housekeepingIntervalMs, () => advanceGeneration(context)),
    every(context, "fleet", settings.housekeepingIntervalMs, () => context.store.sampleFleet()),
    every(context, "gc", settings.gcIntervalMs, () => collectGarbage(context)),
    every(context, "removal", settings.gcRemovalIntervalMs, () => removeMarked(context)),
    // Not at all where there is nothing to be measured.
    ...(deps.runtime.usage === null ? [] : watchUsage(context, new UsageWatch(context))),
    ...(deps.checks === undefined ? [] : [runChecks(context, deps.checks)]),
    watching,
  ]);
  const ended = new AbortController();
  try {
    await Promise.race([parts, leaveBehind(context, ended.signal)]);
  } finally {
    ended.abort();
    hints.end();
  }
}

/** What is slow has a pace of its own, so that the minute does not wait for it. */
function watchUsage(context: TermContext, watch: UsageWatch): Promise<void>[] {
  const { runtime, settings } = context.deps;
  return [
    every(context, "usage", settings.usageIntervalMs, () => watch.sample()),
    every(context, "thinning", settings.usageIntervalMs, () => thinUsage(context)),
    every(context, "forgetting", FORGET_EVERY_MS, () => context.store.forgetUsageOfDeleted()),
    ...(runtime.homeBytes === null
      ? []
      : [every(context, "homes", settings.usageIntervalMs, () => watch.countHomes())]),
  ];
}

/**
 * Resolves a lease after the term is over. A part that has not come back by then (an engine that does not answer, a hung
 * disk) must not keep the lock from whoever could lead. Without a lease nothing that it still tries gets through.
 */
async function leaveBehind({ deps, signal, logger }: TermContext, ended: AbortSignal): Promise<void> {
  await new Promise((over) => {
    if (signal.aborted) over(null);
    else signal.addEventListener("abort", over, { once: true });
  });
  await deps.clock.sleep(deps.settings.leaseMs, ended);
  if (!ended.aborted) logger.error({}, "a part of the term did not end and is left behind");
}

/** A component's error skips its tick and nobody else's. */
async function every(context: TermContext, name: string, intervalMs: number, tick: () => Promise<void>): Promise<void> {
  const { clock } = context.deps;
  let waitMs = Math.min(intervalMs, FIRST_TICK_MS);
  while (!context.signal.aborted) {
    await clock.sleep(waitMs, context.signal);
    if (context.signal.aborted) return;
    waitMs = intervalMs;
    try {
      await tick();
    } catch (error) {
      if (error instanceof NotLeader) return context.end("another leader has taken over");
      if (!context.signal.aborted) context.logger.warn({ component: name, error: String(error) }, "tick skipped");
    }
  }
}
