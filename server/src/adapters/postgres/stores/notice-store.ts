import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { toDate, toJson } from "#adapters/postgres/json.ts";
import { lockEpoch } from "#adapters/postgres/queries/deployment/lock-epoch.ts";
import { readCollecting } from "#adapters/postgres/queries/deployment/read-collecting.ts";
import { deleteNotices } from "#adapters/postgres/queries/notices/delete-notices.ts";
import { listNotices } from "#adapters/postgres/queries/notices/list-notices.ts";
import { saveNotice } from "#adapters/postgres/queries/notices/save-notice.ts";
import { readClock } from "#adapters/postgres/queries/records/read-clock.ts";
import { listComponents } from "#adapters/postgres/queries/views/list-components.ts";
import { listTroubled } from "#adapters/postgres/queries/views/list-troubled.ts";
import { all, count, first, one } from "#adapters/postgres/statement.ts";
import { type AttentionFacts, STUCK_MS } from "#core/notices/concerns.ts";
import type { Remembered } from "#core/notices/due.ts";
import { MARK_AGE_MS } from "#core/rules/gc.ts";
import type { NoticeStore } from "#ports/notices.ts";
import { NotLeader } from "#ports/store.ts";

/** Many at once have one cause, and nobody reads more than these. */
const MOST_TROUBLED = 200;

/** What the database knows that needs attention, with these workspaces in any case; on the pool that has the API's role. */
export async function readAttention(
  pool: pg.Pool,
  named: readonly string[] = [],
): Promise<Omit<AttentionFacts, "findings">> {
  const { now } = await one(pool, readClock, {});
  const stuckSince = new Date(now - STUCK_MS);
  const workspaces = await all(pool, listTroubled, { limit: MOST_TROUBLED, stuckSince, named });
  const moreWorkspaces = (workspaces[0]?.total ?? 0) - workspaces.length;
  const parts = await all(pool, listComponents, {});
  const { quarantine } = await one(pool, readCollecting, { ageMs: MARK_AGE_MS });
  return { now, workspaces, moreWorkspaces, parts, quarantine };
}

/** What people were told, written by one leader. */
export class PostgresNoticeStore implements NoticeStore {
  readonly #pool: pg.Pool;
  readonly #epoch: number;

  constructor(pool: pg.Pool, epoch: number) {
    this.#pool = pool;
    this.#epoch = epoch;
  }

  async read(channel: string): Promise<{ readonly now: number; readonly remembered: readonly Remembered[] }> {
    const { now } = await one(this.#pool, readClock, {});
    return { now, remembered: await all(this.#pool, listNotices, { channel }) };
  }

  async write(
    channel: string,
    { save, forget }: { readonly save: readonly Remembered[]; readonly forget: readonly string[] },
  ): Promise<void> {
    await inTransaction(this.#pool, async (tx) => {
      if ((await first(tx, lockEpoch, { epoch: this.#epoch })) === null)
        throw new NotLeader(`Epoch ${this.#epoch} is over: another coordinator tells people. Nothing was written.`);
      for (const { key, id, code, fields, path, seenAt, toldAt, goneAt, tries, nextTryAt } of save) {
        const times = { seenAt: new Date(seenAt), toldAt: toDate(toldAt), goneAt: toDate(goneAt) };
        const row = { channel, key, id, code, fields: toJson(fields), path, tries, nextTryAt: new Date(nextTryAt) };
        await count(tx, saveNotice, { ...row, ...times });
      }
      if (forget.length > 0) await count(tx, deleteNotices, { channel, keys: forget });
    });
  }
}
