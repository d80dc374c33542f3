import type { Workspace } from "#core/rows/workspace.ts";
import { isOver } from "#core/rules/gc.ts";
import { CommitChecks } from "./commit-checks.ts";
import type { Commit, Database } from "./database.ts";
import type { JobHost } from "./fake-jobs.ts";
import { RemovalChecks } from "./removal-checks.ts";
import { RequestChecks } from "./request-checks.ts";
import type { Sim } from "./sim.ts";
import { type Truth, Truths } from "./truths.ts";
import type { SimContainer, SimVolume, World } from "./world.ts";

export interface OracleSettings {
  readonly retentionMs: number;
  readonly shortestGraceMs: number;
  readonly perUserLimit: number;
  readonly standbyTtlMs: number;
  /** The longest that activity may be on its way into the row while everything works. */
  readonly activityBoundMs: number;
}

/** Watches every commit and every change of the world, and says when something promised is not so. */
export class Oracle extends Truths {
  readonly #commits: CommitChecks;
  readonly #requestStore: RequestChecks;
  #checkedDb = -1;
  #checkedWorld = -1;

  constructor(sim: Sim, db: Database, world: World, jobs: JobHost, settings: OracleSettings) {
    super(sim, db, world, jobs);
    this.#commits = new CommitChecks(this);
    this.#requestStore = new RequestChecks(this, settings);
    const removals = new RemovalChecks(this, settings);
    world.onVolumeRemoved = (volume, asked) => removals.volumeRemoved(volume, asked);
    world.onObjectRemoved = (object, asked) => removals.objectRemoved(object, asked);
    if (world.kubernetes !== null)
      world.kubernetes.onGoingClaimUsed = (id, volume) =>
        sim.violate("I8", `${id.slice(0, 4)}: a pod is asked for on ${volume.slice(-8)}, which is being deleted`);
    world.onPrepared = (volume, job) => this.#prepared(volume, job);
    world.onVolumeWritten = (volume, attempt) => removals.volumeWritten(volume, attempt);
  }

  commit(commit: Commit): void {
    this.#commits.check(commit);
    this.#requestStore.check(commit);
  }

  /** A candidate of the TTL runner was read: what it decides later is as old as this. Null: the list of all. */
  ttlRead(by: string, id: string | null): void {
    this.#requestStore.ttlRead(by, id);
  }

  /** After every step. Cheap when nothing changed. */
  check(): void {
    if (this.#checkedDb === this.db.version && this.#checkedWorld === this.world.version) return;
    this.#checkedDb = this.db.version;
    this.#checkedWorld = this.world.version;
    for (const row of this.db.rows.values()) this.#checkRow(row, this.truth(row.id));
    this.#checkMounts();
  }

  /** I9: what prepares a home has it alone. What somebody started by hand is nobody's. */
  #prepared({ name, workspaceId }: SimVolume, id: number): void {
    const { attempts } = this.truth(workspaceId);
    const ours = this.world
      .referencing(name)
      .some(({ state, attempt }) => state === "running" && attempt !== null && attempts.has(attempt));
    if (ours) this.sim.violate("I9", `${workspaceId.slice(0, 4)}: a home is prepared that a container has mounted`);
    for (const job of this.jobs.jobs.values()) {
      if (job.id === id || job.volume !== name || !job.begun || !job.running) continue;
      this.sim.violate(
        "I9",
        `${workspaceId.slice(0, 4)}: a home is prepared beside a job that works on it (${job.kind})`,
      );
    }
  }

  /** I22: what the row says about its repository is true of the home that it leads to. */
  #checkSetup({ id, homeCtx, homeVolume, archiveKey, source, setupWanted }: Workspace): void {
    const { setup } = homeCtx;
    const { volumes, objects } = this.world;
    const home = homeVolume !== null ? volumes.get(homeVolume) : objects.get(archiveKey ?? "");
    if (setup === null || home === undefined) return;
    const says = `${id.slice(0, 4)}: says "${setup.state}" for request ${setup.version}`;
    if (setup.state !== "ready") {
      if (setup.folder !== null || setup.commit !== null) this.sim.violate("I22", `${says} and claims a project`);
      return;
    }
    if (!home.projects.has(setup.commit ?? "")) this.sim.violate("I22", `${says}, and the project is not there`);
    if (setup.version === setupWanted && setup.commit !== source?.cloneUrl)
      this.sim.violate("I22", `${says}, and has another project`);
  }

  /** I21: a home is never mounted by two containers that run, whatever the engine's books say about them. */
  #checkMounts(): void {
    const mounted = new Map<string, SimContainer>();
    for (const container of this.world.containers.values()) {
      if (container.state !== "running" || container.volume === null) continue;
      const other = mounted.get(container.volume);
      if (other !== undefined)
        this.sim.violate("I21", `${container.workspaceId.slice(0, 4)}: ${other.id} and ${container.id} share a home`);
      mounted.set(container.volume, container);
    }
  }

  #checkRow(row: Workspace, truth: Truth): void {
    const { sim } = this;
    const over = isOver(row);
    const id = row.id.slice(0, 4);
    // What a job was carrying when its source vanished may still arrive.
    if (truth.gone && this.holds(row.id, truth.data)) truth.gone = false;
    if (!over && !truth.gone && truth.data !== 0 && !this.holds(row.id, truth.data)) {
      truth.gone = true;
      sim.violate("I1", `${id}: version ${truth.data} is nowhere`);
    }
    if (!over && !truth.rolledBack && !this.isHarmed(row)) {
      const leads = this.leadsTo(row);
      if (leads !== truth.data) {
        const where = row.homeVolume ?? row.archiveKey ?? "nothing";
        sim.violate("I3", `${id}: the row leads to ${String(leads)} (${where}), newest is ${truth.data}`);
      }
    }
    if (!over && !truth.rolledBack && !this.isHarmed(row)) this.#checkSetup(row);
    const container = this.routable(row);
    if (container !== null) this.#checkRouted(row, truth, container);
  }

  #checkRouted(row: Workspace, truth: Truth, container: SimContainer): void {
    const { sim } = this;
    const id = row.id.slice(0, 4);
    if (container.workspaceId !== row.id || container.volume !== row.homeVolume) {
      sim.violate("I10", `${id}: routed to a container of ${container.workspaceId.slice(0, 4)} on ${container.volume}`);
    }
    const volume = container.volume === null ? undefined : this.world.volumes.get(container.volume);
    // A running container keeps serving a volume that was pulled from under it: nothing newer can be shown.
    if (volume === undefined) return;
    const older = truth.rolledBack && typeof volume.content === "number";
    if (volume.content !== truth.data && !older) {
      sim.violate("I2", `${id}: the home served is ${volume.content}, newest is ${truth.data}`);
    }
  }

  /** I8: whoever leads never asks for a container on a volume that the row has left. */
  starts(spec: { readonly workspaceId: string; readonly volume: string }, leads: boolean): void {
    if (leads && this.truth(spec.workspaceId).left.has(spec.volume)) {
      this.sim.violate("I8", `${spec.workspaceId.slice(0, 4)}: a container is started on a retired volume`);
    }
  }
}
