import { isOver } from "#core/gc.ts";
import { archiveKey, volumeName } from "#core/names.ts";
import { LEVELS, type LevelName, type Workspace } from "#core/workspace.ts";
import type { Commit, Database } from "./database.ts";
import type { JobHost } from "./fake-jobs.ts";
import type { Sim } from "./sim.ts";
import { type Content, KNOWN_FORMAT, type SimContainer, type SimObject, type SimVolume, type World } from "./world.ts";

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
  readonly activity: number[];
  lastWishAt: number;
  /** Archives that a reset discarded: promised until a time. */
  readonly trash: Map<string, { readonly content: Content; readonly until: number }>;
  readonly attempts: Set<string>;
  /** Volumes the row has led to and left. */
  readonly left: Set<string>;
}

export interface OracleSettings {
  readonly retentionMs: number;
  readonly shortestGraceMs: number;
  readonly perUserLimit: number;
  readonly standbyTtlMs: number;
  /** The longest that activity may be on its way into the row while everything works. */
  readonly activityBoundMs: number;
}

/** What a person can ask of a level; each of them counts, also a repeated one. */
const WISHES = ["wish", "wake", "reset", "delete", "undelete"] as const;
const UNNOTICED_MS = 10 * 60_000;

/** Watches every commit and every change of the world, and says when something promised is not so. */
export class Oracle {
  readonly sim: Sim;
  readonly db: Database;
  readonly world: World;
  readonly jobs: JobHost;
  readonly truths: Map<string, Truth> = new Map();
  /** Volumes and objects that nature took or damaged. */
  readonly harmed: Map<string, { readonly workspaceId: string; readonly at: number }> = new Map();
  readonly #settings: OracleSettings;
  readonly #ttlReads: Map<string, number> = new Map();
  /** When the proxies last handed over what they had seen. */
  lastFlushAt = 0;
  #checkedDb = -1;
  #checkedWorld = -1;

  constructor(sim: Sim, db: Database, world: World, jobs: JobHost, settings: OracleSettings) {
    this.sim = sim;
    this.db = db;
    this.world = world;
    this.jobs = jobs;
    this.#settings = settings;
    world.onVolumeRemoved = (volume, by) => this.#volumeRemoved(volume, by);
    world.onObjectRemoved = (object, by) => this.#objectRemoved(object, by);
    world.onVolumeWritten = (volume, attempt) => this.#volumeWritten(volume, attempt);
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
        lastWishAt: 0,
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

  /** Damage that is younger than the last look at the archive could not be noticed by it. */
  #excused(id: string): boolean {
    for (const [name, { workspaceId, at }] of this.harmed) {
      if (workspaceId === id && this.sim.scheduler.now - at < UNNOTICED_MS) return !name.startsWith("ws-");
    }
    return false;
  }

  /** What the proxy may connect a person to (SPEC 13's rule): the recorded instance of a row at rest, or nothing. */
  routable(row: Workspace): SimContainer | null {
    if (row.operation !== "NONE" || row.deletedAt !== null || row.phase !== "RUNNING" || row.endpoint === null) {
      return null;
    }
    const container = this.world.containers.get(row.endpoint.containerId);
    return container?.attempt === row.endpoint.attempt && container.state === "running" ? container : null;
  }

  /** After every step. Cheap when nothing changed. */
  check(): void {
    if (this.#checkedDb === this.db.version && this.#checkedWorld === this.world.version) return;
    this.#checkedDb = this.db.version;
    this.#checkedWorld = this.world.version;
    for (const row of this.db.rows.values()) this.#checkRow(row, this.truth(row.id));
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
    const attempt = this.db.rows.get(truth.id)?.opId;
    for (const job of this.jobs.jobs.values()) {
      // A job that a deposed leader's late request started copies for nobody: its attempt is over.
      if (job.volume === volume.name && job.kind === "archive" && job.attempt === attempt) {
        this.sim.violate("I9", `${truth.id.slice(0, 4)}: a person writes while a job copies the volume`);
      }
    }
    return true;
  }

  /** I8: whoever leads never asks for a container on a volume that the row has left. */
  starts(spec: { readonly workspaceId: string; readonly volume: string }, leads: boolean): void {
    if (leads && this.truth(spec.workspaceId).left.has(spec.volume)) {
      this.sim.violate("I8", `${spec.workspaceId.slice(0, 4)}: a container is started on a retired volume`);
    }
  }

  /** Nature took or damaged something. If that was the last copy, it is not the system's fault, but it must be loud. */
  harm(name: string, id: string): void {
    this.harmed.set(name, { workspaceId: id, at: this.sim.scheduler.now });
    const truth = this.truth(id);
    if (truth.data !== 0 && !this.holds(id, truth.data)) truth.gone = true;
  }

  commit(commit: Commit): void {
    const { before, after } = commit;
    const truth = this.truth(commit.id);
    if (before !== null) {
      this.#fenced(commit, before);
      this.#pointers(commit, before, truth);
      this.#wishes(commit, before, truth);
    }
    this.#limits(after);
    for (const event of commit.events) this.#covers(event.kind, commit);
  }

  /** I4: only the newest leader writes verdicts, only for its own attempt, and an attempt begins with a claim. */
  #fenced({ epoch, after }: Commit, before: Workspace): void {
    const { sim, db } = this;
    const id = after.id.slice(0, 4);
    if (epoch !== null && epoch !== db.epoch) sim.violate("I4", `${id}: epoch ${epoch} commits under ${db.epoch}`);
    if (after.opId !== null && after.opId !== before.opId) {
      const { attempts } = this.truth(after.id);
      if (attempts.has(after.opId)) sim.violate("I5", `${id}: attempt ${after.opId.slice(0, 8)} is used twice`);
      attempts.add(after.opId);
      this.#claimed(before, after);
    }
    const moved = after.homeVolume !== before.homeVolume || after.archiveKey !== before.archiveKey;
    const asked = after.requestDone !== before.requestDone;
    if (moved && !asked && before.operation === "NONE") {
      sim.violate("I4", `${id}: the pointers moved without an operation`);
    }
  }

  /** I17: an operation is claimed only from positive answers, and never over a home the row knows. */
  #claimed(before: Workspace, after: Workspace): void {
    const { sim } = this;
    const id = after.id.slice(0, 4);
    const builds = after.operation === "PROVISIONING" || after.operation === "RESTORING";
    if (builds && after.homeVolume !== null) sim.violate("I17", `${id}: ${after.operation} over ${after.homeVolume}`);
    if (before.operation !== "NONE") return;
    if (after.operation === "PROVISIONING" && after.archiveKey !== null) {
      sim.violate("I17", `${id}: PROVISIONING although there is an archive`);
    }
    const needs = ["infra.container_present", "infra.container_ready"];
    if (after.operation !== "STOPPING" && after.operation !== "DELETING") needs.push("storage.volume_ready");
    if (after.operation === "RESTORING") needs.push("storage.archive_ready");
    for (const key of needs) {
      const condition = after.conditions[key];
      if (condition === undefined || condition.unknownSince !== undefined) {
        sim.violate("I17", `${id}: ${after.operation} was claimed while ${key} is unknown`);
      }
    }
  }

  /** Follows the authority from commit to commit: what is consented to changes what is true. */
  #pointers({ after, events }: Commit, before: Workspace, truth: Truth): void {
    const { sim } = this;
    const id = after.id.slice(0, 4);
    if (before.homeVolume !== null && after.homeVolume !== before.homeVolume) truth.left.add(before.homeVolume);
    if (after.homeVolume !== null && after.homeVolume !== before.homeVolume) {
      if (truth.left.has(after.homeVolume)) sim.violate("I5", `${id}: ${after.homeVolume} is current again`);
      this.#restored(before, after);
    }
    const operation = before.operation;
    const completed = events.some((event) => event.kind === "operation_completed");
    if (completed && operation === "ARCHIVING") this.#archived(before, after);
    const wished = before.desiredState === "PENDING" && before.deletedAt === null;
    if (completed && operation === "DISCARDING" && wished && before.archiveKey !== null && after.archiveKey === null) {
      const record = this.db.archives.get(before.archiveKey);
      if (record?.state === "trash" && !this.harmed.has(before.archiveKey)) {
        truth.trash.set(before.archiveKey, { content: truth.data, until: record.keepUntil ?? 0 });
      }
      truth.data = 0;
      truth.gone = false;
      truth.rolledBack = false;
    }
    const moved = after.homeVolume !== before.homeVolume || after.archiveKey !== before.archiveKey;
    if (moved && events.some((event) => event.kind === "request_answered")) {
      const chosen = this.leadsTo(after);
      // An older database may offer archives that its future has removed: choosing one is loud at the next look.
      if (chosen === undefined && after.archiveKey !== null) this.harm(after.archiveKey, after.id);
      truth.data = chosen ?? 0;
      truth.gone = false;
      truth.rolledBack = false;
      if (after.archiveKey !== null) truth.trash.delete(after.archiveKey);
    } else if (
      moved &&
      truth.gone &&
      !this.holds(after.id, truth.data) &&
      !isOver(after) &&
      this.isHarmed(before) &&
      operation !== "DISCARDING"
    ) {
      sim.violate("I18", `${id}: a lost home was replaced without anybody's consent`);
    }
  }

  /** I6: nothing becomes the home before it was read back and found equal to where it came from. */
  #archived(before: Workspace, after: Workspace): void {
    const { sim } = this;
    const object = after.archiveKey === null ? undefined : this.world.objects.get(after.archiveKey);
    const id = after.id.slice(0, 4);
    if (object?.readBack !== true) sim.violate("I6", `${id}: an archive became the home without being read back`);
    if (before.homeVolume !== null && this.world.referencing(before.homeVolume).some((one) => this.#wasStarted(one))) {
      sim.violate("I9", `${id}: archived while a container of the recorded attempt is on the volume`);
    }
  }

  /** Containers that late or repeated requests bring back are nobody's; the one people were routed to must be gone. */
  #wasStarted(container: SimContainer): boolean {
    const row = this.db.rows.get(container.workspaceId);
    return row?.endpoint?.containerId === container.id;
  }

  #restored(before: Workspace, after: Workspace): void {
    const volume = after.homeVolume === null ? undefined : this.world.volumes.get(after.homeVolume);
    const source = before.archiveKey === null ? undefined : this.world.objects.get(before.archiveKey);
    const id = after.id.slice(0, 4);
    if (before.operation !== "RESTORING" || volume === undefined) return;
    if (source !== undefined && !this.harmed.has(source.key) && volume.content !== source.content) {
      this.sim.violate("I6", `${id}: a restored home is ${volume.content}, its archive ${source.content}`);
    }
    if ((source?.meta?.formatVersion ?? KNOWN_FORMAT) > KNOWN_FORMAT) {
      this.sim.violate("I13", `${id}: an archive of a newer format was restored`);
    }
  }

  /** I11, I14 and IW: wishes are only changed by those who may, and time only moves forward. */
  #wishes(commit: Commit, before: Workspace, truth: Truth): void {
    const { sim } = this;
    const { after, events } = commit;
    const id = after.id.slice(0, 4);
    const kinds = new Set(events.map((event) => event.kind));
    if (before.deletedAt !== null && after.deletedAt === null) {
      if (!kinds.has("undelete")) sim.violate("I11", `${id}: a deletion was taken back by ${[...kinds].join()}`);
      if (isOver(before)) sim.violate("I11", `${id}: undeleted after its time was over`);
    }
    if (before.deletedAt !== null && after.deletedAt !== null && after.deletedAt !== before.deletedAt) {
      sim.violate("I11", `${id}: the time of deletion moved`);
    }
    if (before.deletedAt !== null && after.desiredState !== "DELETED" && after.deletedAt !== null) {
      sim.violate("I11", `${id}: a deleted workspace is wished ${after.desiredState}`);
    }
    if (before.expiredAt === null && after.expiredAt !== null) {
      const age = this.db.now - (after.deletedAt ?? this.db.now);
      if (age < this.#settings.retentionMs) sim.violate("I11", `${id}: expired ${age} ms after its deletion`);
    }
    if (after.lastAccessAt < before.lastAccessAt) sim.violate("I14", `${id}: last access went back`);
    if (kinds.has("wake") && (before.desiredState === "PENDING" || before.deletedAt !== null)) {
      sim.violate("IW", `${id}: a visit cancelled ${before.desiredState}`);
    }
    if (kinds.has("idle")) this.#fell(commit, before, truth);
    if (WISHES.some((kind) => kinds.has(kind))) truth.lastWishAt = sim.scheduler.now;
  }

  /** A candidate of the TTL runner was read: what it decides later is as old as this. Null: the list of all. */
  ttlRead(by: string, id: string | null): void {
    this.#ttlReads.set(`${by} ${id ?? "all"}`, this.sim.scheduler.now);
  }

  #fell({ after, by }: Commit, before: Workspace, truth: Truth): void {
    const { sim } = this;
    const { now } = sim.scheduler;
    const id = after.id.slice(0, 4);
    const readAt = Math.max(this.#ttlReads.get(`${by} all`) ?? 0, this.#ttlReads.get(`${by} ${after.id}`) ?? 0);
    const lowered = LEVELS[after.desiredState as LevelName] < LEVELS[before.desiredState as LevelName];
    if (before.deletedAt !== null || !lowered)
      sim.violate("IW", `${id}: idleness turned ${before.desiredState} into ${after.desiredState}`);
    if (truth.lastWishAt > readAt)
      sim.violate("IW", `${id}: idleness overrode a wish that was newer than what it had read`);
    if (after.desiredState !== "STANDBY") return;
    const ttlMs = (before.standbyTtlSeconds ?? this.#settings.standbyTtlMs / 1000) * 1000;
    const silentMs = now - this.lastFlushAt;
    const boundMs = this.#settings.activityBoundMs;
    // What was used a moment ago may still be on its way; what is older than the bound must have counted.
    const used = truth.activity.findLast((at) => now - at > boundMs);
    const idleMs = now - (used ?? 0);
    const waitedOut = silentMs >= boundMs && this.db.now - before.lastAccessAt > 2 * ttlMs;
    if (used !== undefined && idleMs < ttlMs && !waitedOut)
      sim.violate("I14", `${id}: stopped ${idleMs} ms after somebody used it`);
  }

  /** I19: what runs or is being started never exceeds the limit of its owner. */
  #limits(after: Workspace): void {
    if (after.phase !== "RUNNING" && after.operation !== "STARTING") return;
    let running = 0;
    for (const row of this.db.rows.values()) {
      if (row.ownerId !== after.ownerId || row.deletedAt !== null) continue;
      if (row.phase === "RUNNING" || row.operation === "STARTING") running++;
    }
    if (running > this.#settings.perUserLimit) {
      this.sim.violate("I19", `${after.ownerId.slice(0, 4)}: ${running} run, ${this.#settings.perUserLimit} may`);
    }
  }

  #volumeRemoved(volume: SimVolume, by: string): void {
    if (by === "nature") return;
    const { sim, db } = this;
    const row = db.rows.get(volume.workspaceId);
    const id = volume.workspaceId.slice(0, 4);
    sim.sometimes("reaper: a retired volume was removed");
    if (row === undefined) return;
    const truth = this.truth(row.id);
    if (row.homeVolume === volume.name) sim.violate("I7", `${id}: the current volume was removed`);
    if (row.opId !== null && volumeName(row.id, row.opId) === volume.name && row.operation !== "NONE") {
      sim.violate("I7", `${id}: the volume of the running attempt was removed`);
    }
    const record = db.volumes.get(volume.name);
    if (record !== undefined && record.state !== "retired" && record.state !== "gone") {
      sim.violate("I7", `${id}: volume ${volume.name.slice(-8)} was removed while ${record.state}`);
    }
    if (record?.state === "retired" && db.now - (record.retiredAt ?? 0) < this.#settings.shortestGraceMs) {
      sim.violate("I7", `${id}: volume ${volume.name.slice(-8)} was removed before its grace was over`);
    }
    if (volume.content === truth.data && truth.data !== 0 && !isOver(row) && !this.holds(row.id, truth.data)) {
      if (this.#excused(row.id)) {
        truth.gone = true;
        return;
      }
      sim.violate("I7", `${id}: the last copy of version ${truth.data} was removed`);
    }
  }

  #objectRemoved(object: SimObject, by: string): void {
    if (by === "nature") return;
    const { sim, db } = this;
    sim.sometimes("gc: an object was removed");
    const row = db.rows.get(object.workspaceId);
    if (row === undefined) return;
    const id = row.id.slice(0, 4);
    const truth = this.truth(row.id);
    const over = isOver(row);
    if (row.archiveKey === object.key && !over) sim.violate("I7", `${id}: the current archive was removed`);
    if (row.operation !== "NONE" && row.opId !== null && archiveKey(row.id, row.opId) === object.key) {
      sim.violate("I7", `${id}: the object of the running attempt was removed`);
    }
    const promised = truth.trash.get(object.key);
    if (promised !== undefined && promised.until > db.now && !row.purge) {
      sim.violate("I1r", `${id}: a discarded archive was removed before its time`);
    }
    if (object.content === truth.data && truth.data !== 0 && !over && !this.holds(row.id, truth.data)) {
      // Damage that nobody has seen yet: the row leads to a copy that was read back whole.
      if (row.errorInfo?.isTerminal !== true && this.isHarmed(row)) {
        truth.gone = true;
        return;
      }
      sim.violate("I7", `${id}: the last copy of version ${truth.data} was removed`);
    }
  }

  /** I5 and I9: one attempt per name, and no job writes where a container is. */
  #volumeWritten(volume: SimVolume, attempt: string): void {
    const id = volume.workspaceId.slice(0, 4);
    if (volume.writers.size > 1) this.sim.violate("I5", `${id}: two attempts wrote ${volume.name.slice(-8)}`);
    if (!this.truth(volume.workspaceId).attempts.has(attempt)) {
      this.sim.violate("I4", `${id}: attempt ${attempt.slice(0, 8)} acts without a claim`);
    }
    if (this.world.referencing(volume.name).some((container) => container.state === "running")) {
      this.sim.violate("I9", `${id}: a job writes into a volume that a container has mounted`);
    }
  }

  #covers(kind: string, { before, after }: Commit): void {
    const operation = after.operation !== "NONE" ? after.operation : (before?.operation ?? "NONE");
    const named = new Set([
      "operation_started",
      "operation_completed",
      "operation_taken_over",
      "operation_superseded",
      "attempt_failed",
    ]);
    if (named.has(kind)) this.sim.sometimes(`${kind}: ${operation}`);
    else if (kind === "error") this.sim.sometimes(`error: ${after.errorReason}`);
    else if (kind === "request_answered") this.sim.sometimes(`request answered: ${after.request?.action.kind}`);
    else this.sim.sometimes(`event: ${kind}`);
    if (after.phase === "ERROR" && before?.phase !== "ERROR") this.sim.sometimes(`error seen: ${after.errorReason}`);
    if (before?.phase === "ERROR" && after.phase !== "ERROR") this.sim.sometimes(`left ERROR: ${before.errorReason}`);
  }
}
