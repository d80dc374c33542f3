import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { toJson } from "#adapters/postgres/json.ts";
import { lockAccount } from "#adapters/postgres/queries/accounts/lock-account.ts";
import { beginCheck } from "#adapters/postgres/queries/checks/begin-check.ts";
import { deleteOldChecks } from "#adapters/postgres/queries/checks/delete-old-checks.ts";
import { finishCheck } from "#adapters/postgres/queries/checks/finish-check.ts";
import { insertCheck } from "#adapters/postgres/queries/checks/insert-check.ts";
import { listAskedChecks } from "#adapters/postgres/queries/checks/list-asked-checks.ts";
import { listOpenChecks } from "#adapters/postgres/queries/checks/list-open-checks.ts";
import { readCheck } from "#adapters/postgres/queries/checks/read-check.ts";
import { lockEpoch } from "#adapters/postgres/queries/deployment/lock-epoch.ts";
import { readClock } from "#adapters/postgres/queries/records/read-clock.ts";
import type { CheckRow } from "#adapters/postgres/rows/check-row.ts";
import { all, count, first, one, type Queryable } from "#adapters/postgres/statement.ts";
import type { OpenCheck } from "#core/checks/check.ts";
import { CHECKS_WITHIN_MS, type MayCheck, mayCheck } from "#core/checks/may-check.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { AuditActor } from "#ports/accounts.ts";
import type { CheckRecord, CheckRequests, CheckStore, NewCheck } from "#ports/checks.ts";
import { NotLeader } from "#ports/store.ts";
import { audit } from "./audit.ts";

/** Questions whether a key works, on the pool that has the API's role. */
export class PostgresCheckRequests implements CheckRequests {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  ask(
    check: NewCheck,
    actor: AuditActor,
  ): Promise<CheckRecord | Exclude<MayCheck, { readonly ok: true }> | "disabled"> {
    return inTransaction(this.#pool, async (tx) => {
      const { userId, kind, host } = check;
      const account = await first(tx, lockAccount, { id: userId });
      if (account === null || account.disabledAt !== null) return "disabled";
      const { now } = await one(tx, readClock, {});
      const may = mayCheck(await all(tx, listAskedChecks, { userId, withinMs: CHECKS_WITHIN_MS }), now);
      if (!may.ok) return may;
      const row = await one(tx, insertCheck, check);
      await audit(tx, actor, kind === "ssh" ? "ssh_key_tested" : "credential_tested", { host });
      return toRecord(row);
    });
  }

  async find(userId: string, id: string): Promise<CheckRecord | null> {
    const row = await first(this.#pool, readCheck, { userId, id });
    return row === null ? null : toRecord(row);
  }
}

const toRecord = ({ code, fields, ...row }: CheckRow): CheckRecord => ({
  ...row,
  outcome: code === null ? null : { code, fields: fields ?? {} },
});

/** The answers, written by one leader. */
export class PostgresCheckStore implements CheckStore {
  readonly #pool: pg.Pool;
  readonly #epoch: number;

  constructor(pool: pg.Pool, epoch: number) {
    this.#pool = pool;
    this.#epoch = epoch;
  }

  async open(): Promise<{ readonly now: number; readonly checks: readonly OpenCheck[] }> {
    const checks = await all(this.#pool, listOpenChecks, {});
    // Nothing to compare with a time, as almost always.
    return { now: checks.length === 0 ? 0 : (await one(this.#pool, readClock, {})).now, checks };
  }

  async begin(id: string): Promise<boolean> {
    return (await this.#fenced((tx) => count(tx, beginCheck, { id }))) > 0;
  }

  async finish(id: string, { code, fields = {} }: Reason): Promise<void> {
    await this.#fenced((tx) => count(tx, finishCheck, { id, code, fields: toJson(fields) }));
  }

  async forget(olderThanMs: number): Promise<void> {
    await this.#fenced((tx) => count(tx, deleteOldChecks, { ageMs: olderThanMs }));
  }

  #fenced<R>(work: (tx: Queryable) => Promise<R>): Promise<R> {
    return inTransaction(this.#pool, async (tx) => {
      if ((await first(tx, lockEpoch, { epoch: this.#epoch })) === null)
        throw new NotLeader(`Epoch ${this.#epoch} is over: another coordinator answers. Nothing was written.`);
      return await work(tx);
    });
  }
}
