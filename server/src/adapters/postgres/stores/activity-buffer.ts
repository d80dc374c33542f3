import type { createPool } from "#adapters/postgres/connection.ts";
import { forgetSilentSources } from "#adapters/postgres/queries/activity/forget-silent-sources.ts";
import { forgetSource } from "#adapters/postgres/queries/activity/forget-source.ts";
import { listSources } from "#adapters/postgres/queries/activity/list-sources.ts";
import { readActivity } from "#adapters/postgres/queries/activity/read-activity.ts";
import { recordActivity } from "#adapters/postgres/queries/activity/record-activity.ts";
import { recordSource } from "#adapters/postgres/queries/activity/record-source.ts";
import { removeActivity } from "#adapters/postgres/queries/activity/remove-activity.ts";
import { all, count } from "#adapters/postgres/statement.ts";
import type { ActivityBuffer, ActivityEntry, ActivitySource } from "#ports/activity.ts";

/** The activity buffer of several processes that share nothing but the database. */
export class PostgresActivityBuffer implements ActivityBuffer {
  readonly #pool: ReturnType<typeof createPool>;

  constructor(pool: ReturnType<typeof createPool>) {
    this.#pool = pool;
  }

  async record(source: string, flushedAt: number, entries: readonly ActivityEntry[]): Promise<void> {
    if (entries.length > 0) await all(this.#pool, recordActivity, asColumns(entries));
    // Last: a source that is seen to have flushed has left behind what it had.
    await all(this.#pool, recordSource, { source, flushedAt });
  }

  async read(limit: number): Promise<readonly ActivityEntry[]> {
    return await all(this.#pool, readActivity, { limit });
  }

  async removeUnchanged(entries: readonly ActivityEntry[]): Promise<number> {
    return entries.length === 0 ? 0 : await count(this.#pool, removeActivity, asColumns(entries));
  }

  async sources(): Promise<readonly ActivitySource[]> {
    return await all(this.#pool, listSources, {});
  }

  async forget(source: string): Promise<void> {
    await all(this.#pool, forgetSource, { source });
  }

  async forgetSilent(before: number): Promise<void> {
    await all(this.#pool, forgetSilentSources, { before });
  }
}

const asColumns = (entries: readonly ActivityEntry[]) => ({
  ids: entries.map(({ workspaceId }) => workspaceId),
  times: entries.map(({ at }) => at),
});
