import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { deleteShare } from "#adapters/postgres/queries/shares/delete-share.ts";
import { insertShare } from "#adapters/postgres/queries/shares/insert-share.ts";
import { listShares } from "#adapters/postgres/queries/shares/list-shares.ts";
import { sweepShares } from "#adapters/postgres/queries/shares/sweep-shares.ts";
import { lockWorkspace } from "#adapters/postgres/queries/workspaces/lock-workspace.ts";
import { toWorkspace } from "#adapters/postgres/rows/workspace-row.ts";
import { all, count, first, one } from "#adapters/postgres/statement.ts";
import type { PortShare } from "#core/requests/sharing.ts";
import { moment } from "#core/rows/meaning.ts";
import type { Doer } from "#ports/accounts.ts";
import type { SharedNow, ShareStore, ShareWish } from "#ports/shares.ts";
import { insertLines, lineBy } from "./history.ts";

/** Shared ports, on the pool that has the API's role. */
export class PostgresShareStore implements ShareStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  open(workspaceIds: readonly string[]): Promise<readonly PortShare[]> {
    return all(this.#pool, listShares, { workspaceIds });
  }

  share<R>(wish: ShareWish, by: Doer, decide: (now: SharedNow) => R | null): Promise<R | null> {
    return inTransaction(this.#pool, async (tx) => {
      const { workspaceId, port, audience, lifetimeMs } = wish;
      const locked = await first(tx, lockWorkspace, { id: workspaceId });
      const workspace = locked === null ? null : toWorkspace(locked);
      const refused = decide({ workspace, shares: await all(tx, listShares, { workspaceIds: [workspaceId] }) });
      if (refused !== null) return refused;
      await first(tx, deleteShare, { workspaceId, port });
      const { expiresAt } = await one(tx, insertShare, { workspaceId, port, audience, lifetimeMs });
      const until = expiresAt === null ? {} : { until: moment(expiresAt) };
      await insertLines(tx, workspace, [lineBy(by, "port_shared", audience, { port, ...until })]);
      return null;
    });
  }

  close(workspaceId: string, port: number, by: Doer): Promise<boolean> {
    return inTransaction(this.#pool, async (tx) => {
      const locked = await first(tx, lockWorkspace, { id: workspaceId });
      const was = await first(tx, deleteShare, { workspaceId, port });
      if (locked === null || was?.open !== true) return false;
      await insertLines(tx, toWorkspace(locked), [lineBy(by, "port_closed", "port_closed", { port })]);
      return true;
    });
  }

  sweep(): Promise<number> {
    return count(this.#pool, sweepShares, {});
  }
}
