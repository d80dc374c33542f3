import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { toDate } from "#adapters/postgres/json.ts";
import { readAccountForLogin } from "#adapters/postgres/queries/accounts/read-account-for-login.ts";
import { readClock } from "#adapters/postgres/queries/records/read-clock.ts";
import { clearThrottle } from "#adapters/postgres/queries/throttle/clear-throttle.ts";
import { knownAddress } from "#adapters/postgres/queries/throttle/known-address.ts";
import { lockThrottle } from "#adapters/postgres/queries/throttle/lock-throttle.ts";
import { readThrottle } from "#adapters/postgres/queries/throttle/read-throttle.ts";
import { sweepThrottle } from "#adapters/postgres/queries/throttle/sweep-throttle.ts";
import { writeThrottle } from "#adapters/postgres/queries/throttle/write-throttle.ts";
import { all, count, first, one, type Queryable } from "#adapters/postgres/statement.ts";
import type { AuditActor, ThrottleKey, ThrottleRule, ThrottleState, ThrottleStore } from "#ports/accounts.ts";
import { audit } from "./audit.ts";

const FAILURES = {
  wrong: "login_failed",
  throttled: "login_throttled",
  disabled: "login_refused",
} as const;

export class PostgresThrottleStore implements ThrottleStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  decide<R>(keys: readonly ThrottleKey[], rule: ThrottleRule<R>): Promise<R> {
    return inTransaction(this.#pool, async (tx) => {
      for (const key of inOneOrder(keys)) {
        await all(tx, lockThrottle, { scope: key.scope, subject: key.subject });
      }
      const states: (ThrottleState | null)[] = [];
      for (const key of keys) {
        states.push(await readState(tx, key));
      }
      const { now } = await one(tx, readClock, {});
      const { next, result } = rule(states, now);
      for (const [index, key] of keys.entries()) {
        const state = next[index];
        if (state) {
          await writeState(tx, key, state);
        }
      }
      return result;
    });
  }

  async clear(keys: readonly ThrottleKey[]): Promise<void> {
    for (const { scope, subject } of inOneOrder(keys)) {
      await count(this.#pool, clearThrottle, { scope, subject });
    }
  }

  async knownAddress(username: string, address: string, withinMs: number): Promise<boolean> {
    return (await one(this.#pool, knownAddress, { username, address, withinMs })).known;
  }

  sweep(olderThanMs: number): Promise<number> {
    return count(this.#pool, sweepThrottle, { olderThanMs });
  }

  /** What was typed as a name may be a password: it is written down only if there is an account of that name. */
  async noteFailure(username: string, address: string | null, why: "wrong" | "throttled" | "disabled"): Promise<void> {
    const known = await first(this.#pool, readAccountForLogin, { username });
    const actor: AuditActor = { kind: "system", userId: null, address };
    const details = known === null ? {} : { user_id: known.id, username: known.username };
    await audit(this.#pool, actor, FAILURES[why], details);
  }
}

/** Everybody locks in the same order, so that two sign-ins never wait for each other. */
function inOneOrder(keys: readonly ThrottleKey[]): ThrottleKey[] {
  const name = (key: ThrottleKey): string => `${key.scope}:${key.subject}`;
  return [...keys].sort((a, b) => (name(a) < name(b) ? -1 : 1));
}

async function readState(tx: Queryable, { scope, subject }: ThrottleKey): Promise<ThrottleState | null> {
  const row = await first(tx, readThrottle, { scope, subject });
  return row === null
    ? null
    : {
        failures: row.failures,
        firstFailureAt: row.first_failure_at,
        lastFailureAt: row.last_failure_at,
        blockedUntil: row.blocked_until,
      };
}

async function writeState(tx: Queryable, { scope, subject }: ThrottleKey, state: ThrottleState): Promise<void> {
  await count(tx, writeThrottle, {
    scope,
    subject,
    failures: state.failures,
    firstFailureAt: new Date(state.firstFailureAt),
    lastFailureAt: new Date(state.lastFailureAt),
    blockedUntil: toDate(state.blockedUntil),
  });
}
