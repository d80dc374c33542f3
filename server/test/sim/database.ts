import { holdsSlot, type Slots } from "#core/requests/limits.ts";
import { lastStatus } from "#core/rows/condition.ts";
import type { EventLine, Mutation } from "#core/rows/mutation.ts";
import {
  type ArchiveRecord,
  EMPTY_HOME_CONTEXT,
  type Ms,
  type RequestColumns,
  type VolumeRecord,
  type Workspace,
} from "#core/rows/workspace.ts";
import type { FormerTerm, ProcessIdentity } from "#core/rules/succession.ts";
import type { UsageSample } from "#core/rules/usage.ts";
import { AddressTaken, type Deployment, type Progress, type WorkspaceDraft } from "#ports/store.ts";

/** One committed transaction on a row, as the oracle sees it. */
export interface Commit {
  readonly id: string;
  readonly before: Workspace | null;
  readonly after: Workspace;
  readonly events: readonly EventLine[];
  /** The leader's epoch, or null for the API's side. */
  readonly epoch: number | null;
  readonly by: string;
}

export interface Mark {
  readonly markedAt: Ms;
  readonly urgent: boolean;
  readonly retryAt: Ms | null;
}

interface Tables {
  rows: Map<string, Workspace>;
  archives: Map<string, ArchiveRecord>;
  volumes: Map<string, VolumeRecord>;
  marks: Map<string, Mark>;
  ports: Map<number, { readonly id: string; readonly attempt: string }>;
  /** By address in words: whose it is or was. */
  addresses: Map<string, string>;
  deployment: Deployment;
  epoch: number;
  /** Each fact about a leader names the epoch that it is about. */
  leader: LeaderRecord;
}

interface LeaderRecord {
  readonly holder: { readonly epoch: number; readonly process: ProcessIdentity | null } | null;
  readonly begun: number;
  readonly ended: number;
}

/**
 * The tables, with the promises PostgreSQL makes about them: a transaction happens at one moment or not at all, and a
 * row that breaks a constraint is refused.
 */
export class Database {
  #tables: Tables;
  readonly #clock: () => Ms;
  onCommit: (commit: Commit) => void = () => undefined;
  /** What was last told of each workspace's operation. */
  readonly progress = new Map<string, Progress>();
  readonly usage: { readonly at: Ms; readonly samples: readonly UsageSample[] }[] = [];
  /** Counts changes, so that checkers look only when there is something new. */
  version = 0;

  constructor(deploymentId: string, clock: () => Ms) {
    this.#clock = clock;
    this.#tables = {
      rows: new Map(),
      archives: new Map(),
      volumes: new Map(),
      marks: new Map(),
      ports: new Map(),
      addresses: new Map(),
      deployment: {
        deploymentId,
        runtimeKind: null,
        engineId: null,
        storeId: null,
        gcGeneration: 0,
        quarantine: null,
      },
      epoch: 0,
      leader: { holder: null, begun: 0, ended: 0 },
    };
  }

  get now(): Ms {
    return this.#clock();
  }
  get rows(): ReadonlyMap<string, Workspace> {
    return this.#tables.rows;
  }
  get archives(): ReadonlyMap<string, ArchiveRecord> {
    return this.#tables.archives;
  }
  get volumes(): ReadonlyMap<string, VolumeRecord> {
    return this.#tables.volumes;
  }
  /** In the order of their time: whoever marks anew takes the old mark away first. */
  get marks(): Map<string, Mark> {
    return this.#tables.marks;
  }
  get ports(): Map<number, { readonly id: string; readonly attempt: string }> {
    return this.#tables.ports;
  }
  get epoch(): number {
    return this.#tables.epoch;
  }
  get deployment(): Deployment {
    return this.#tables.deployment;
  }
  set deployment(deployment: Deployment) {
    this.#tables.deployment = deployment;
    this.version++;
  }

  /** A new epoch, and what is on record of the one before. */
  mintEpoch(process: ProcessIdentity | null): { readonly epoch: number; readonly former: FormerTerm } {
    const { epoch: before, leader } = this.#tables;
    const holder = leader.holder?.epoch === before ? leader.holder.process : null;
    const epoch = before + 1;
    this.#tables.epoch = epoch;
    this.#tables.leader = { ...leader, holder: { epoch, process } };
    return { epoch, former: { epoch: before, holder, begun: leader.begun === before, ended: leader.ended === before } };
  }

  /** False when there is a newer leader. */
  recordTerm(fact: "begun" | "ended", epoch: number): boolean {
    if (this.#tables.epoch !== epoch) return false;
    this.#tables.leader = { ...this.#tables.leader, [fact]: epoch };
    return true;
  }

  /** A backup as it would lie on a disk: records are immutable, so copying the maps is enough. */
  backup(): Tables {
    const { rows, archives, volumes, marks, ports, addresses, deployment, epoch, leader } = this.#tables;
    return {
      rows: new Map(rows),
      archives: new Map(archives),
      volumes: new Map(volumes),
      marks: new Map(marks),
      ports: new Map(ports),
      addresses: new Map(addresses),
      deployment,
      epoch,
      leader,
    };
  }

  restore(tables: Tables): void {
    this.#tables = tables;
    this.version++;
  }

  archivesOf(id: string): ArchiveRecord[] {
    return [...this.archives.values()].filter((record) => record.workspaceId === id);
  }

  volumesOf(id: string): VolumeRecord[] {
    return [...this.volumes.values()].filter((record) => record.workspaceId === id);
  }

  insert(draft: WorkspaceDraft, events: readonly EventLine[], by: string): Workspace {
    if (this.rows.has(draft.id)) throw new Error("duplicate key value violates unique constraint workspaces_pkey");
    const now = this.now;
    const row: Workspace = {
      ...draft,
      source: draft.source ?? null,
      setupWanted: draft.source == null ? 0 : 1,
      setupSkipped: 0,
      keysAllowed: draft.keysAllowed ?? true,
      address: draft.address ?? null,
      desiredVersion: 1,
      deletedAt: null,
      purge: false,
      request: null,
      keepAwakeUntil: null,
      awakeAskedFrom: null,
      awakeAskedSeconds: 0,
      lastAccessAt: now,
      conditions: {},
      phase: "PENDING",
      phaseChangedAt: now,
      observedAt: null,
      operation: "NONE",
      opStartedAt: null,
      opId: null,
      opEpoch: null,
      requestDone: 0,
      expiredAt: null,
      homeVolume: null,
      archiveKey: null,
      archiveOpId: null,
      endpoint: null,
      homeCtx: EMPTY_HOME_CONTEXT,
      errorReason: null,
      errorCount: 0,
      errorInfo: null,
      reconcileFailureCount: 0,
      nextAttemptAt: null,
      createdAt: now,
      updatedAt: now,
      rowVersion: 1,
    };
    this.#take(row);
    this.#write(null, row, events, null, by);
    return row;
  }

  wish(row: Workspace, write: Partial<RequestColumns>, events: readonly EventLine[], by: string): Workspace {
    const { address = row.address } = write;
    if (address !== row.address) this.#take({ id: row.id, address });
    return this.#patch(row, write, events, null, by);
  }

  #take({ id, address }: Pick<Workspace, "id" | "address">): void {
    if (address === null) return;
    if (this.#tables.addresses.has(address)) throw new AddressTaken();
    this.#tables.addresses.set(address, id);
  }

  /** All of a decision or nothing of it. */
  apply(row: Workspace, mutation: Mutation, epoch: number, by: string): Workspace {
    const archives = new Map(this.archives);
    const volumes = new Map(this.volumes);
    for (const record of mutation.archives ?? []) archives.set(record.key, record);
    for (const record of mutation.volumes ?? []) volumes.set(record.name, record);
    refuseRecords(row.id, archives, volumes, mutation);
    const next = this.#checked(row, mutation.patch);
    this.#tables.archives = archives;
    this.#tables.volumes = volumes;
    const { keys = [], urgent = false } = mutation.marks ?? {};
    for (const key of keys) {
      this.marks.delete(key);
      this.marks.set(key, { markedAt: this.now, urgent, retryAt: null });
    }
    this.#write(row, next, mutation.events ?? [], epoch, by);
    return next;
  }

  setArchive(record: ArchiveRecord): void {
    this.#tables.archives.set(record.key, record);
    this.version++;
  }

  /** Its object is gone. */
  removeOrphan(key: string): void {
    if (this.#tables.archives.get(key)?.state === "orphan") this.#tables.archives.delete(key);
    this.version++;
  }

  setVolume(record: VolumeRecord): void {
    this.#tables.volumes.set(record.name, record);
    this.version++;
  }

  slots(asking: { readonly id: string; readonly ownerId: string }): Slots {
    let ofOwner = 0;
    let global = 0;
    for (const row of this.rows.values()) {
      if (row.id === asking.id || !holdsSlot(row)) continue;
      global++;
      if (row.ownerId === asking.ownerId) ofOwner++;
    }
    return { ofOwner, global };
  }

  #patch(
    row: Workspace,
    patch: Partial<Workspace>,
    events: readonly EventLine[],
    epoch: number | null,
    by: string,
  ): Workspace {
    const next = this.#checked(row, patch);
    this.#write(row, next, events, epoch, by);
    return next;
  }

  #checked(row: Workspace, patch: Partial<Workspace>): Workspace {
    if (Object.keys(patch).length === 0) return row;
    const next = { ...row, ...patch, rowVersion: row.rowVersion + 1, updatedAt: this.now };
    refuseRow(next);
    for (const other of this.rows.values()) {
      if (other.id === next.id) continue;
      if (next.homeVolume !== null && other.homeVolume === next.homeVolume) throw constraint("workspaces_home_volume");
      if (next.archiveKey !== null && other.archiveKey === next.archiveKey) throw constraint("workspaces_archive_key");
    }
    return next;
  }

  #write(
    before: Workspace | null,
    after: Workspace,
    events: readonly EventLine[],
    epoch: number | null,
    by: string,
  ): void {
    this.#tables.rows.set(after.id, after);
    this.version++;
    this.onCommit({ id: after.id, before, after, events, epoch, by });
  }
}

/** The transaction broke a constraint. No fault does that: it is a mistake of whoever wrote it. */
export class ConstraintViolation extends Error {
  override readonly name = "ConstraintViolation";
}

const constraint = (what: string): ConstraintViolation => new ConstraintViolation(`violates constraint ${what}`);

function refuseRow(row: Workspace): void {
  if ((row.desiredState === "DELETED") !== (row.deletedAt !== null)) throw constraint("deleted wish and time");
  if (row.deletedAt === null && row.purge) throw constraint("purge of a row that is not deleted");
  if (row.deletedAt === null && row.expiredAt !== null) throw constraint("expiry of a row that is not deleted");
  if (row.operation !== "NONE" && (row.opId === null || row.opEpoch === null || row.opStartedAt === null)) {
    throw constraint("operation without an attempt");
  }
}

function refuseRecords(
  id: string,
  archives: ReadonlyMap<string, ArchiveRecord>,
  volumes: ReadonlyMap<string, VolumeRecord>,
  mutation: Mutation,
): void {
  if ((mutation.archives ?? []).length > 0) {
    const current = [...archives.values()].filter((record) => record.workspaceId === id && record.state === "current");
    if (current.length > 1) throw constraint("archives_current");
  }
  if ((mutation.volumes ?? []).length > 0) {
    const current = [...volumes.values()].filter((record) => record.workspaceId === id && record.state === "current");
    if (current.length > 1) throw constraint("volumes_current");
  }
}

/** Rows that should have something on the engine. */
export const hasResources = (row: Workspace): boolean =>
  row.homeVolume !== null || row.endpoint !== null || lastStatus(row.conditions, "infra.container_present");
