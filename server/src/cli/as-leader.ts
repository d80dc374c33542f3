import os from "node:os";
import { PostgresElection } from "#adapters/postgres/election.ts";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { processWitness } from "#adapters/system/process-witness.ts";
import type { Pool } from "#compose/database.ts";
import type { Term } from "#ports/election.ts";
import type { Logger } from "#ports/logger.ts";
import type { LeaderStore } from "#ports/store.ts";

/** Longer than any lease: a leader that was cut off has stopped by then. */
const LEASE_MS = 3_000;
const PING_MS = 1_000;

/** Somebody else leads, so that what a command would change may change under it. */
export class SomebodyLeads extends Error {
  override readonly name = "SomebodyLeads";
}

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent };

/** A lock's session that says nothing is dropped. */
async function keepPinging(term: Term, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await term.ping().catch(() => undefined);
    await clock.sleep(PING_MS, signal);
  }
}

/** Does the work with a leader's rights, fenced like everything a leader does. Rejects while a CodeHub leads. */
export async function asLeader<R>(url: string, pool: Pool, work: (store: LeaderStore) => Promise<R>): Promise<R> {
  const holder = `${os.hostname()} ${process.pid} (codehub command)`;
  const election = new PostgresElection({ url, pool, holder, identity: processWitness.self, logger: silent });
  const term = await election.campaign(new AbortController().signal);
  if (term === null) throw new SomebodyLeads("CodeHub runs on this database: stop every process of it first.");
  const over = new AbortController();
  const pinging = keepPinging(term, over.signal);
  try {
    if (!term.former.ended && term.former.epoch > 0) await clock.sleep(LEASE_MS);
    await term.begin();
    const result = await work(term.store);
    await term.end();
    return result;
  } finally {
    over.abort();
    await pinging;
    await term.release();
  }
}
