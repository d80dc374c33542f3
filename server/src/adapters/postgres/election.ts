import pg from "pg";
import type { Ms } from "#core/rows/workspace.ts";
import type { FormerTerm, ProcessIdentity } from "#core/rules/succession.ts";
import type { Election, Term } from "#ports/election.ts";
import type { Logger } from "#ports/logger.ts";
import { NotLeader } from "#ports/store.ts";
import { isPoolersRefusal, PoolerRefused, types, withSettings } from "./connection.ts";
import { toJson } from "./json.ts";
import { beginTerm } from "./queries/deployment/begin-term.ts";
import { endTerm } from "./queries/deployment/end-term.ts";
import { mintEpoch } from "./queries/deployment/mint-epoch.ts";
import { takeLeaderLock } from "./queries/deployment/take-leader-lock.ts";
import { readClock } from "./queries/records/read-clock.ts";
import { COORDINATOR_ROLE } from "./roles.ts";
import { count, one } from "./statement.ts";
import { PostgresLeaderStore } from "./stores/leader-store.ts";

export type ElectionOptions = {
  url: string;
  /** The coordinator's pool, for the store of each term. */
  pool: pg.Pool;
  /** Tells people which process leads, for example host and process number. */
  holder: string;
  /** The same for other processes of this machine, such that none is mistaken for it; null where that cannot be told. */
  identity: () => Promise<ProcessIdentity | null>;
  logger: Logger;
  /** How long one answer of the lock's session may take. */
  pingTimeoutMs?: number;
};

// A frozen holder sends no ping, so the server drops its session after 8 s and the lock is free; one behind a dead
// network is found by keepalives and by data that is not acknowledged.
const SESSION_SETTINGS = {
  role: COORDINATOR_ROLE,
  idle_session_timeout: 8_000,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 10_000,
  statement_timeout: 10_000,
};

const END_LIMIT_MS = 1_000;

/** Leadership by an advisory lock of a session that does nothing else. */
export class PostgresElection implements Election {
  readonly #options: ElectionOptions;

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  async campaign(signal: AbortSignal): Promise<Term | null> {
    const session = new LockSession(this.#options);
    try {
      if (signal.aborted || !(await session.acquire())) {
        await session.close();
        return null;
      }
      const minted = await session.mint(this.#options.holder, await this.#options.identity());
      if (signal.aborted) {
        await session.close();
        return null;
      }
      return term(session, minted, this.#options.pool);
    } catch (error) {
      await session.close();
      if (error instanceof PoolerRefused || isPoolersRefusal(error)) {
        throw error instanceof PoolerRefused ? error : new PoolerRefused({ cause: error });
      }
      this.#options.logger.warn({ error: String(error) }, "the database could not be asked for leadership");
      return null;
    }
  }
}

function term(session: LockSession, { epoch, former }: Minted, pool: pg.Pool): Term {
  return {
    epoch,
    former,
    begin: () => session.begin(epoch),
    end: () => session.end(epoch),
    store: new PostgresLeaderStore(pool, epoch),
    lost: session.lost,
    ping: () => session.ping(),
    release: () => session.close(),
  };
}

interface Minted {
  readonly epoch: number;
  readonly former: FormerTerm;
}

/**
 * Rejects when there is no answer after this long. A timer that fires says nothing about the server where this process itself
 * was kept from running: what has come meanwhile is read first, which it is before the next immediate.
 */
function inTime<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const late = (): void => reject(new Error(`The lock's session did not answer within ${limitMs} ms.`));
  const timer = setTimeout(() => setImmediate(late), limitMs);
  answer.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

class LockSession {
  readonly #client: pg.Client;
  readonly #pingTimeoutMs: number;
  readonly #lost = new AbortController();

  constructor({ url, holder, pingTimeoutMs = 2_000 }: ElectionOptions) {
    this.#pingTimeoutMs = pingTimeoutMs;
    this.#client = new pg.Client({
      connectionString: withSettings(url, SESSION_SETTINGS),
      application_name: `codehub leader ${holder}`.slice(0, 63),
      connectionTimeoutMillis: 5_000,
      query_timeout: 12_000,
      types,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    });
    this.#client.on("error", () => this.#lost.abort());
    this.#client.on("end", () => this.#lost.abort());
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async acquire(): Promise<boolean> {
    await this.#client.connect();
    await this.#refusePooler();
    return (await one(this.#client, takeLeaderLock, {})).taken;
  }

  /** The new epoch waits for the old leader's open transactions, and none of its later ones can pass the fence. */
  async mint(holder: string, identity: ProcessIdentity | null): Promise<Minted> {
    const process = identity === null ? null : toJson(identity);
    const { epoch, former_epoch, former_process, begun, ended } = await one(this.#client, mintEpoch, {
      holder,
      process,
    });
    return { epoch, former: { epoch: former_epoch, holder: former_process, begun, ended } };
  }

  async begin(epoch: number): Promise<void> {
    if ((await count(this.#client, beginTerm, { epoch })) === 0) throw new NotLeader(`epoch ${epoch} is over`);
  }

  /** It only saves the next leader a wait, so it is not worth one of ours. */
  async end(epoch: number): Promise<void> {
    if (this.#lost.signal.aborted) return;
    const limit = setTimeout(() => this.#cut(), END_LIMIT_MS);
    try {
      await count(this.#client, endTerm, { epoch });
    } finally {
      clearTimeout(limit);
    }
  }

  async ping(): Promise<Ms> {
    try {
      const { rows } = await inTime(this.#client.query<{ now: Ms }>(readClock.text), this.#pingTimeoutMs);
      if (rows[0] === undefined) throw new Error("The database did not tell its time.");
      return rows[0].now;
    } catch (error) {
      this.#lost.abort();
      throw error;
    }
  }

  /** Ending a session politely needs an answer of the network; after a second it is simply cut. */
  async close(): Promise<void> {
    this.#lost.abort();
    const cut = setTimeout(() => this.#cut(), 1_000);
    try {
      await this.#client.end();
    } catch {
      this.#cut();
    } finally {
      clearTimeout(cut);
    }
  }

  #cut(): void {
    const { connection } = this.#client as unknown as { connection?: { stream?: { readonly destroy: () => void } } };
    connection?.stream?.destroy();
  }

  /**
   * A pooler gives every client a process number of its own making, which is not that of the server process behind it.
   * Behind one that shares sessions, the lock would be held by whoever comes next.
   */
  async #refusePooler(): Promise<void> {
    const announced = (this.#client as unknown as { processID: number | null }).processID;
    const answer = await this.#client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    if (announced !== answer.rows[0]?.pid) {
      throw new PoolerRefused();
    }
  }
}
