import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { toJson } from "#adapters/postgres/json.ts";
import { readClock } from "#adapters/postgres/queries/records/read-clock.ts";
import { deleteSessionsOfWorkspace } from "#adapters/postgres/queries/sessions/delete-sessions-of-workspace.ts";
import { allowCommands } from "#adapters/postgres/queries/workspaces/allow-commands.ts";
import { countSlots } from "#adapters/postgres/queries/workspaces/count-slots.ts";
import { insertWorkspace } from "#adapters/postgres/queries/workspaces/insert-workspace.ts";
import { listIdleCandidates } from "#adapters/postgres/queries/workspaces/list-idle-candidates.ts";
import { lockWorkspace } from "#adapters/postgres/queries/workspaces/lock-workspace.ts";
import { longestStandbyTtl } from "#adapters/postgres/queries/workspaces/longest-standby-ttl.ts";
import { readWorkspace } from "#adapters/postgres/queries/workspaces/read-workspace.ts";
import { readWorkspaces } from "#adapters/postgres/queries/workspaces/read-workspaces.ts";
import { takeAddress } from "#adapters/postgres/queries/workspaces/take-address.ts";
import { takeLimitsLock } from "#adapters/postgres/queries/workspaces/take-limits-lock.ts";
import { touchWorkspaces } from "#adapters/postgres/queries/workspaces/touch-workspaces.ts";
import { writeRequest } from "#adapters/postgres/queries/workspaces/write-request.ts";
import { requestParams, toWorkspace } from "#adapters/postgres/rows/workspace-row.ts";
import { all, count, first, one, type Queryable } from "#adapters/postgres/statement.ts";
import type { Slots } from "#core/requests/limits.ts";
import type { Ms, Workspace } from "#core/rows/workspace.ts";
import type { Creation, RequestDecision, RequestFacts, RequestStore, WorkspaceDraft } from "#ports/store.ts";
import { AddressTaken } from "#ports/store.ts";
import { insertLines } from "./history.ts";

const NO_SLOTS: Slots = { ofOwner: 0, global: 0 };

/** Requests, on the pool that has the API's role. */
export class PostgresRequestStore implements RequestStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async read(id: string): Promise<Workspace | null> {
    const row = await first(this.#pool, readWorkspace, { id });
    return row === null ? null : toWorkspace(row);
  }

  async readMany(ids: readonly string[]): Promise<Workspace[]> {
    return (await all(this.#pool, readWorkspaces, { ids })).map(toWorkspace);
  }

  change<R>(
    id: string,
    options: { countSlots: boolean },
    decide: (facts: RequestFacts) => RequestDecision<R>,
  ): Promise<R> {
    return inTransaction(this.#pool, async (tx) => {
      if (options.countSlots) {
        await all(tx, takeLimitsLock, {});
      }
      const locked = await first(tx, lockWorkspace, { id });
      const row = locked === null ? null : toWorkspace(locked);
      const slots =
        options.countSlots && row !== null ? await one(tx, countSlots, { ownerId: row.ownerId, id }) : NO_SLOTS;
      const { now } = await one(tx, readClock, {});
      const decision = decide({ row, now, slots });
      if (decision.write !== null && row !== null) {
        if (Object.keys(decision.write).length > 0) {
          const { address = row.address } = decision.write;
          if (address !== row.address) await moveTo(tx, id, address);
          await one(tx, writeRequest, { id, ...requestParams({ ...row, ...decision.write }) });
        }
        await insertLines(tx, row, decision.events);
      }
      return decision.result;
    });
  }

  create<T>(
    draft: WorkspaceDraft,
    decide: (facts: Pick<RequestFacts, "slots" | "now">) => Creation<T>,
  ): Promise<{ readonly row: Workspace } | { readonly refused: T }> {
    return inTransaction(this.#pool, async (tx) => {
      await all(tx, takeLimitsLock, {});
      const slots = await one(tx, countSlots, { ownerId: draft.ownerId, id: draft.id });
      const { now } = await one(tx, readClock, {});
      const decision = decide({ slots, now });
      if (!("events" in decision)) {
        return { refused: decision.refuse };
      }
      if (draft.address != null) await takeFor(tx, draft.id, draft.address);
      const row = toWorkspace(await one(tx, insertWorkspace, insertParams(draft)));
      await insertLines(tx, row, decision.events);
      return { row };
    });
  }

  async allowCommands(userId: string, repository: string, digest: string): Promise<void> {
    await count(this.#pool, allowCommands, { userId, repository, digest });
  }

  async listIdleCandidates(
    defaults: { standbyTtlSeconds: number; archiveTtlSeconds: number },
    limit: number,
  ): Promise<string[]> {
    const { standbyTtlSeconds, archiveTtlSeconds } = defaults;
    const rows = await all(this.#pool, listIdleCandidates, { standbyTtlSeconds, archiveTtlSeconds, limit });
    return rows.map((row) => row.id);
  }

  async longestStandbyTtlSeconds(defaultSeconds: number): Promise<number> {
    return (await one(this.#pool, longestStandbyTtl, { defaultSeconds })).seconds;
  }

  async touch(accesses: ReadonlyMap<string, Ms>): Promise<void> {
    if (accesses.size > 0) {
      const times = [...accesses.values()].map((at) => new Date(at));
      await count(this.#pool, touchWorkspaces, { ids: [...accesses.keys()], times });
    }
  }
}

/** A workspace with a repository begins with the request to get it. */
const insertParams = ({ source = null, keysAllowed = true, address = null, ...draft }: WorkspaceDraft) => ({
  ...draft,
  keysAllowed,
  address,
  source: source === null ? null : toJson(source),
  setupWanted: source === null ? 0 : 1,
});

async function takeFor(tx: Queryable, workspaceId: string, label: string): Promise<void> {
  if ((await count(tx, takeAddress, { label, workspaceId })) === 0) throw new AddressTaken();
}

/** Whoever is in it came in at another address. */
async function moveTo(tx: Queryable, workspaceId: string, label: string | null): Promise<void> {
  if (label !== null) await takeFor(tx, workspaceId, label);
  await count(tx, deleteSessionsOfWorkspace, { workspaceId });
}
