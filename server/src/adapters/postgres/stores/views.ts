import type pg from "pg";
import { toDate } from "#adapters/postgres/json.ts";
import { readAccount } from "#adapters/postgres/queries/accounts/read-account.ts";
import { readCollecting } from "#adapters/postgres/queries/deployment/read-collecting.ts";
import { readClock } from "#adapters/postgres/queries/records/read-clock.ts";
import { readSetup } from "#adapters/postgres/queries/records/read-setup.ts";
import { countEvents } from "#adapters/postgres/queries/views/count-events.ts";
import { countOperations } from "#adapters/postgres/queries/views/count-operations.ts";
import { countPhases } from "#adapters/postgres/queries/views/count-phases.ts";
import { countWorkspaces } from "#adapters/postgres/queries/views/count-workspaces.ts";
import { facetEvents } from "#adapters/postgres/queries/views/facet-events.ts";
import { findSummaries } from "#adapters/postgres/queries/views/find-summaries.ts";
import { listArchives } from "#adapters/postgres/queries/views/list-archives.ts";
import { listComponents } from "#adapters/postgres/queries/views/list-components.ts";
import { listEvents } from "#adapters/postgres/queries/views/list-events.ts";
import { listFleetSamples } from "#adapters/postgres/queries/views/list-fleet-samples.ts";
import { listOfSource } from "#adapters/postgres/queries/views/list-of-source.ts";
import { listOwners } from "#adapters/postgres/queries/views/list-owners.ts";
import { latestUsage, listUsage } from "#adapters/postgres/queries/views/list-usage.ts";
import { listStampsBy, listWorkspacesBy, type PageParams } from "#adapters/postgres/queries/views/list-workspaces.ts";
import { newestArchives } from "#adapters/postgres/queries/views/newest-archives.ts";
import { readLeader } from "#adapters/postgres/queries/views/read-leader.ts";
import { reportUsage } from "#adapters/postgres/queries/views/report-usage.ts";
import { summariseFleet } from "#adapters/postgres/queries/views/summarise-fleet.ts";
import { summariseOperations } from "#adapters/postgres/queries/views/summarise-operations.ts";
import { viewSummaries } from "#adapters/postgres/queries/views/view-summaries.ts";
import { viewSummariesOfOwner } from "#adapters/postgres/queries/views/view-summaries-of-owner.ts";
import { viewWorkspace } from "#adapters/postgres/queries/views/view-workspace.ts";
import { firstOwner } from "#adapters/postgres/queries/workspaces/first-owner.ts";
import { listSlotHolders } from "#adapters/postgres/queries/workspaces/list-slot-holders.ts";
import { readAddress } from "#adapters/postgres/queries/workspaces/read-address.ts";
import { toArchive } from "#adapters/postgres/rows/archive-row.ts";
import { toSummaryView } from "#adapters/postgres/rows/listed-row.ts";
import { toView, type ViewRow } from "#adapters/postgres/rows/view-row.ts";
import { all, first, one, type Statement } from "#adapters/postgres/statement.ts";
import type { ArchiveRecord, Ms } from "#core/rows/workspace.ts";
import { PHASES, type Phase } from "#core/rows/workspace.ts";
import { MARK_AGE_MS } from "#core/rules/gc.ts";
import type { KeptSetup } from "#ports/store.ts";
import type {
  AuditEventView,
  EventChoice,
  EventFacets,
  EventFilter,
  FleetView,
  ListFilter,
  OperationView,
  OwnerCount,
  Page,
  PhaseCount,
  SlotHolder,
  StampedSummary,
  SummaryStamp,
  UsageLatest,
  UsageLine,
  UsagePoint,
  Views,
  WorkspaceSummaryView,
  WorkspaceView,
} from "#ports/views.ts";

/** What can be chosen is counted in so many lines, and so many of each sort are offered. */
const SCANNED_LINES = 100_000;
const MOST_FACETS = 100;

/** Everything that is read for people, on the pool that has the API's role. */
export class PostgresViews implements Views {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async get(id: string): Promise<WorkspaceView | null> {
    const [row, newest] = await Promise.all([first(this.#pool, viewWorkspace, { id }), this.#newestArchives([id])]);
    return row === null ? null : toView(row, newest.get(id) ?? null);
  }

  async idOfAddress(label: string): Promise<string | null> {
    return (await first(this.#pool, readAddress, { label }))?.workspace_id ?? null;
  }

  async list(filter: ListFilter): Promise<Page<WorkspaceView>> {
    const { items, ...page } = await this.#page(listWorkspacesBy(filter), filter);
    return { ...page, items: await this.#withArchives(items.map(({ sortValue, ...row }) => row)) };
  }

  stamps(filter: ListFilter): Promise<Page<SummaryStamp>> {
    return this.#page(listStampsBy(filter), filter);
  }

  async summaries(filter: ListFilter, ids: readonly string[]): Promise<readonly StampedSummary[]> {
    const { ownerId, text, phases, trash } = filter;
    const rows = await all(this.#pool, findSummaries[trash], { ownerId, text, phases, ids });
    return rows.map((row) => ({ stamp: row.stamp, view: toSummaryView(row) }));
  }

  async owners({ text, phases }: Pick<ListFilter, "text" | "phases">): Promise<readonly OwnerCount[]> {
    return await all(this.#pool, listOwners, { text, phases });
  }

  async summariesOf(ownerId: string, ids: readonly string[]): Promise<readonly WorkspaceSummaryView[]> {
    return (await all(this.#pool, viewSummaries, { ownerId, ids })).map(toSummaryView);
  }

  async setup(id: string): Promise<(KeptSetup & { readonly allowed: boolean }) | null> {
    return await first(this.#pool, readSetup, { id });
  }

  async ofSource(ownerId: string, key: string): Promise<readonly { readonly id: string; readonly name: string }[]> {
    return await all(this.#pool, listOfSource, { ownerId, key });
  }

  async ofOwner(ownerId: string): Promise<readonly WorkspaceSummaryView[]> {
    return (await all(this.#pool, viewSummariesOfOwner, { ownerId })).map(toSummaryView);
  }

  async archives(workspaceId: string): Promise<readonly ArchiveRecord[]> {
    return (await all(this.#pool, listArchives, { workspaceId })).map(toArchive);
  }

  async events(filter: EventFilter): Promise<{ readonly items: readonly AuditEventView[]; readonly total: number }> {
    const items = await this.eventLines(filter);
    const { total } = await one(this.#pool, countEvents, choiceParams(filter));
    return { items, total };
  }

  eventLines({ before, skip, limit, ...choice }: EventFilter): Promise<readonly AuditEventView[]> {
    return all(this.#pool, listEvents, { ...choiceParams(choice), before, skip, limit });
  }

  async eventFacets(choice: EventChoice): Promise<EventFacets> {
    const bounds = { scanned: SCANNED_LINES, most: MOST_FACETS };
    const rows = (await all(this.#pool, facetEvents, { ...choiceParams(choice), ...bounds })).toSorted(
      (a, b) => b.count - a.count,
    );
    return {
      kinds: rows.flatMap(({ kind, count }) => (kind === null ? [] : [{ kind, count }])),
      actors: rows.flatMap(({ actorKind, id, name, count }) =>
        actorKind === null ? [] : [{ actorKind, actorId: id, actorName: name, count }],
      ),
      workspaces: rows.flatMap(({ facet, id, name, count }) =>
        facet === "workspace" && id !== null ? [{ id, name, count }] : [],
      ),
    };
  }

  usageByWeek(weeks: number): Promise<readonly UsageLine[]> {
    return all(this.#pool, reportUsage, { weeks });
  }

  slotHolders(ownerId: string | null): Promise<readonly SlotHolder[]> {
    return all(this.#pool, listSlotHolders, { ownerId });
  }

  async mostRunning(userId: string): Promise<number | null> {
    return (await first(this.#pool, readAccount, { id: userId }))?.maxRunning ?? null;
  }

  async firstOwner(): Promise<string | null> {
    return (await first(this.#pool, firstOwner, {}))?.owner_id ?? null;
  }

  async fleet(): Promise<FleetView> {
    const summary = await one(this.#pool, summariseFleet, {});
    const leader = await first(this.#pool, readLeader, {});
    const collecting = await one(this.#pool, readCollecting, { ageMs: MARK_AGE_MS });
    const since = summary.oldest_converging_since;
    return {
      now: summary.now,
      counts: everyPhase(await all(this.#pool, countPhases, {})),
      users: summary.users,
      slotsHeld: summary.slots_held,
      converging: summary.converging,
      oldestConvergingMs: since === null ? null : Math.max(0, summary.now - since),
      samples: (await all(this.#pool, listFleetSamples, {})).map(({ at, counts }) => ({
        at,
        counts: everyPhase(Object.entries(counts).map(([phase, count]) => ({ phase, count }))),
      })),
      operations: await this.#operations(),
      leader: leader === null ? null : { holder: leader.holder, epoch: leader.epoch, since: leader.acquired_at },
      components: await all(this.#pool, listComponents, {}),
      gc: {
        quarantine: collecting.quarantine,
        lastRunAt: collecting.last_run_at,
        listed: collecting.listed,
        kept: collecting.kept,
        ageing: collecting.ageing,
        aged: collecting.aged,
        removedSinceRun: collecting.removed_since_run,
        removed24h: collecting.removed_24h,
      },
    };
  }

  async usage(
    workspaceId: string,
    rangeMs: Ms,
    stepMs: Ms,
  ): Promise<{ readonly latest: UsageLatest | null; readonly points: readonly UsagePoint[] }> {
    const [latest, points] = await Promise.all([
      first(this.#pool, latestUsage, { workspaceId }),
      all(this.#pool, listUsage, { workspaceId, rangeMs, stepMs }),
    ]);
    return { latest, points };
  }

  async ping(): Promise<void> {
    await one(this.#pool, readClock, {});
  }

  async #page<Row extends { id: string; sortValue: string }>(
    statement: Statement<PageParams, Row>,
    filter: ListFilter,
  ): Promise<Page<Row>> {
    const { ownerId, text, phases, limit, after, trash } = filter;
    const matching = { ownerId, text, phases };
    const from = { afterValue: after?.value ?? null, afterId: after?.id ?? null };
    // One row more than asked for tells whether there is a next page.
    const rows = await all(this.#pool, statement, { ...matching, ...from, limit: limit + 1 });
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    const whole = after === null && last === undefined;
    return {
      items,
      next: last === undefined ? null : { value: last.sortValue, id: last.id },
      // A first page that is also the last one has been counted.
      total: whole ? items.length : (await one(this.#pool, countWorkspaces[trash], matching)).total,
    };
  }

  async #operations(): Promise<OperationView[]> {
    const running = new Map((await all(this.#pool, countOperations, {})).map((row) => [row.operation, row.count]));
    const lately = new Map((await all(this.#pool, summariseOperations, {})).map((row) => [row.operation, row]));
    return [...new Set([...running.keys(), ...lately.keys()])].sort().map((operation) => {
      const past = lately.get(operation);
      return {
        operation,
        running: running.get(operation) ?? 0,
        finished24h: past?.finished ?? 0,
        failed24h: past?.failed ?? 0,
        medianSeconds: seconds(past?.median_ms),
        p95Seconds: seconds(past?.p95_ms),
      };
    });
  }

  async #withArchives(rows: readonly ViewRow[]): Promise<WorkspaceView[]> {
    if (rows.length === 0) {
      return [];
    }
    const newest = await this.#newestArchives(rows.map((row) => row.id));
    return rows.map((row) => toView(row, newest.get(row.id) ?? null));
  }

  async #newestArchives(ids: readonly string[]): Promise<Map<string, ArchiveRecord>> {
    const archives = await all(this.#pool, newestArchives, { ids });
    return new Map(archives.map((row) => [row.workspaceId, toArchive(row)]));
  }
}

const choiceParams = ({ workspaceId, actorId, actorKind, kind, since, until }: EventChoice) => ({
  ...{ workspaceId, actorId, actorKind, kind },
  ...{ since: toDate(since), until: toDate(until) },
});

const seconds = (ms: number | null | undefined): number | null => (ms === null || ms === undefined ? null : ms / 1000);

function everyPhase(rows: readonly { phase: string; count: number }[]): PhaseCount {
  const counts = new Map(rows.map((row) => [row.phase, row.count]));
  return Object.fromEntries(PHASES.map((phase) => [phase, counts.get(phase) ?? 0])) as Record<Phase, number>;
}
