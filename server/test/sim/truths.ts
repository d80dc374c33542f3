import type { Workspace } from "#core/rows/workspace.ts";
import type { Database } from "./database.ts";
import type { JobHost } from "./fake-jobs.ts";
import type { SimProxy } from "./proxies.ts";
import type { Sim } from "./sim.ts";
import type { Content, SimContainer, World } from "./world.ts";

/** What is true about one workspace, whatever the database says: what the user last wrote, and what befell it. */
export interface Truth {
  readonly id: string;
  /** D(W): the newest tree that was acknowledged to the user. */
  data: Content;
  versions: number;
  /** Nothing holds `data` any more, by an act of nature; waiting for a person's choice. */
  gone: boolean;
  /** The database was taken back to an older day: what it leads to may be older than `data`. */
  rolledBack: boolean;
  /** When people used it, oldest first. */
  readonly activity: { readonly at: number; readonly proxy: SimProxy }[];
  lastRequestAt: number;
  /** When it was last seen deleted, by the database's clock. */
  deletedAt: number;
  /** Archives that a reset discarded: promised until a time. */
  readonly trash: Map<string, { readonly content: Content; readonly until: number }>;
  readonly attempts: Set<string>;
  /** Volumes the row has led to and left. */
  readonly left: Set<string>;
}

/** What is true, whatever the database says, and the questions about it that every checker asks. */
export class Truths {
  readonly sim: Sim;
  readonly db: Database;
  readonly world: World;
  readonly jobs: JobHost;
  readonly truths: Map<string, Truth> = new Map();
  /** Volumes and objects that nature took or damaged. */
  readonly harmed: Map<string, { readonly workspaceId: string; readonly at: number }> = new Map();
  /** When the database was last taken back to an older day. */
  restoredAt = Number.NEGATIVE_INFINITY;

  constructor(sim: Sim, db: Database, world: World, jobs: JobHost) {
    this.sim = sim;
    this.db = db;
    this.world = world;
    this.jobs = jobs;
  }

  truth(id: string): Truth {
    let truth = this.truths.get(id);
    if (truth === undefined) {
      truth = {
        id,
        data: 0,
        versions: 0,
        gone: false,
        rolledBack: false,
        activity: [],
        lastRequestAt: 0,
        deletedAt: 0,
        trash: new Map(),
        attempts: new Set(),
        left: new Set(),
      };
      this.truths.set(id, truth);
    }
    return truth;
  }

  /** The tree the row leads to; undefined when it leads to nothing that exists. */
  leadsTo(row: Workspace): Content | undefined {
    if (row.homeVolume !== null) return this.world.volumes.get(row.homeVolume)?.content;
    if (row.archiveKey !== null) return this.world.objects.get(row.archiveKey)?.content;
    return 0;
  }

  isHarmed(row: Workspace): boolean {
    const pointer = row.homeVolume ?? row.archiveKey;
    return pointer !== null && this.harmed.has(pointer);
  }

  holds(id: string, content: Content): boolean {
    for (const volume of this.world.volumes.values()) {
      if (volume.workspaceId === id && volume.content === content) return true;
    }
    for (const object of this.world.objects.values()) {
      if (object.workspaceId === id && object.content === content) return true;
    }
    return false;
  }

  /** What the proxy may connect a person to: the recorded instance of a row at rest, or nothing. */
  routable(row: Workspace): SimContainer | null {
    if (row.operation !== "NONE" || row.deletedAt !== null || row.phase !== "RUNNING" || row.endpoint === null) {
      return null;
    }
    const container = this.world.containers.get(row.endpoint.containerId);
    return container?.attempt === row.endpoint.attempt && container.state === "running" ? container : null;
  }

  /** A person's tree arrived in the volume the container has mounted, and was acknowledged. */
  wrote(container: SimContainer): boolean {
    const volume = container.volume === null ? undefined : this.world.volumes.get(container.volume);
    if (container.state !== "running" || volume === undefined) return false;
    const truth = this.truth(container.workspaceId);
    truth.versions++;
    truth.data = truth.versions;
    truth.gone = false;
    volume.content = truth.data;
    this.world.changed();
    const pod = this.world.kubernetes?.pods.get(container.id);
    if (pod?.node?.state === "cut") this.sim.sometimes("cluster: a pod on a node that was cut off went on writing");
    if (pod?.goingSince != null) this.sim.sometimes("cluster: a pod wrote while it was being removed");
    const attempt = this.db.rows.get(truth.id)?.opId;
    for (const job of this.jobs.jobs.values()) {
      // A job that a deposed leader's late request started copies for nobody: its attempt is over.
      if (job.volume === volume.name && job.kind === "archive" && job.attempt === attempt) {
        this.sim.violate("I9", `${truth.id.slice(0, 4)}: a person writes while a job copies the volume`);
      }
    }
    return true;
  }

  /** Nature took or damaged something. If that was the last copy, it is not the system's fault, but it must be loud. */
  harm(name: string, id: string): void {
    this.harmed.set(name, { workspaceId: id, at: this.sim.scheduler.now });
    const truth = this.truth(id);
    if (truth.data !== 0 && !this.holds(id, truth.data)) truth.gone = true;
  }

  /** An admin has looked at a database that was taken back, and lifted the quarantine: what it leads to is the truth now. */
  acceptThePast(): void {
    for (const row of this.db.rows.values()) {
      const truth = this.truth(row.id);
      if (!truth.rolledBack) continue;
      truth.rolledBack = false;
      truth.data = this.leadsTo(row) ?? truth.data;
      truth.gone = !this.holds(row.id, truth.data);
    }
  }
}
