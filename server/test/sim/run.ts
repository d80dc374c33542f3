import { archiveKey } from "#core/rows/names.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { protection } from "#core/rules/gc.ts";
import { Cluster, type EngineKind, SETTINGS } from "./cluster.ts";
import { ClusterNemesis } from "./cluster-nemesis.ts";
import { newObject } from "./fake-archives.ts";
import { drawProfile, type FaultKind } from "./faults.ts";
import { Nemesis } from "./nemesis.ts";
import type { Plant } from "./plant.ts";
import { Prng } from "./prng.ts";
import { halfRemoved, isSettled, strays } from "./settled.ts";
import { Sim, type Violation } from "./sim.ts";
import { Users } from "./users.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** After the last fault everything must have found its way within this long. */
const CONVERGE_MS = 12 * HOUR;
/** Ticks that remove, in the three hours of a purge: it is marked at the first tick, and two hours later two are left. */
const PURGE_TICKS = 2;
/** Within this long of the last fault a new leader is there and has looked at everything. */
const NOTICE_MS = HOUR;
/** How many of the seeds have a cluster for an engine. */
const CLUSTER_SHARE = 0.35;
/** A run that needs more steps than this does not get anywhere. */
const STEP_LIMIT = 400_000;

export interface RunResult {
  readonly seed: number;
  readonly steps: number;
  readonly virtualMs: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly seen: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
  readonly lines: readonly string[];
}

export interface RunOptions {
  readonly tracing?: boolean;
  readonly plant?: Plant | null;
  /** Stop at the first violation; the state behind it is not worth looking at. */
  readonly stopAtFirst?: boolean;
}

/** One seed: a hostile part of some days, then calm in which everything must converge, then what was deleted is freed. */
export async function runSeed(seed: number, options: RunOptions = {}): Promise<RunResult> {
  const sim = new Sim(seed, options.tracing === true);
  const { plant = null } = options;
  const cluster = new Cluster(sim, plant, plant === null ? engineOf(seed) : (plant.engine ?? "machine"));
  const run = new Run(sim, cluster, options.stopAtFirst !== false);
  await run.all();
  return {
    seed,
    steps: sim.scheduler.steps,
    virtualMs: sim.scheduler.now,
    faults: sim.faults,
    seen: sim.seen,
    violations: sim.violations,
    lines: sim.lines,
  };
}

const engineOf = (seed: number): EngineKind => (new Prng(seed, 51).chance(CLUSTER_SHARE) ? "kubernetes" : "machine");

class Run {
  readonly #sim: Sim;
  readonly #cluster: Cluster;
  readonly #users: Users;
  readonly #nemesis: Nemesis;
  readonly #clusterNemesis: ClusterNemesis | null;
  readonly #stopAtFirst: boolean;

  constructor(sim: Sim, cluster: Cluster, stopAtFirst: boolean) {
    this.#sim = sim;
    this.#cluster = cluster;
    this.#stopAtFirst = stopAtFirst;
    this.#users = new Users(cluster, sim.random.pick([20, 60, 180]) * MINUTE);
    this.#users.repositories = 0.5;
    this.#nemesis = new Nemesis(cluster);
    this.#clusterNemesis =
      cluster.world.kubernetes === null ? null : new ClusterNemesis(cluster, cluster.world.kubernetes, this.#users);
  }

  async all(): Promise<void> {
    const { random, scheduler } = this.#sim;
    await this.#populate();
    this.#sim.profile = drawProfile(random);
    this.#cluster.hintLoss = random.pick([0, 0.1, 1]);
    this.#cluster.watchers.loss = random.pick([0, 0.1, 1]);
    this.#clusterNemesis?.begin();
    const hostileUntil = scheduler.now + random.between(24, 60) * HOUR;
    if (!(await this.#until(() => false, hostileUntil, true))) return;
    this.#users.active = false;
    this.#nemesis.heal();
    this.#clusterNemesis?.heal();
    this.#sim.trace(() => "--- faults stop ---");
    if (!(await this.#converge("after the faults"))) return;
    await this.#recoverAll();
    if (this.#sim.violations.length > 0) return;
    if (!(await this.#converge("after everything was recovered"))) return;
    this.#afterRecovery();
    if (this.#sim.seed % 4 === 0) await this.#freed();
    if (this.#sim.seed % 4 === 1) await this.#deadProxies();
    if (this.#sim.seed % 4 === 2) await this.#purgedSoon();
    if (this.#sim.seed % 4 === 3) await this.#collected();
  }

  async #populate(): Promise<void> {
    const { random, scheduler } = this.#sim;
    const coordinators = random.between(2, 3);
    for (let slot = 0; slot < coordinators; slot++) this.#cluster.start(slot);
    this.#cluster.proxies.startAll();
    const count = random.between(3, 4);
    let made = 0;
    for (let index = 0; index < count; index++) {
      void this.#users.create(random.pick(["RUNNING", "RUNNING", "STANDBY", "ARCHIVED"])).then((id) => {
        made++;
        this.#users.live(id);
      });
    }
    scheduler.woken = true;
    await this.#until(() => made === count, scheduler.now + HOUR, false);
  }

  /** False when a violation ended it. */
  async #until(done: () => boolean, deadline: number, hostile: boolean): Promise<boolean> {
    const { scheduler, violations } = this.#sim;
    if (scheduler.woken) await scheduler.drain();
    while (!done()) {
      if (hostile) this.#nemesis.maybeStrike();
      if (hostile) this.#clusterNemesis?.maybeStrike();
      if (scheduler.woken) await scheduler.drain();
      if (!(await scheduler.step(deadline))) {
        scheduler.now = deadline;
        break;
      }
      this.#cluster.oracle.check();
      if (violations.length > 0 && this.#stopAtFirst) return false;
      if (scheduler.steps > STEP_LIMIT) {
        this.#sim.violate("I12", `${STEP_LIMIT} steps were not enough`);
        return false;
      }
    }
    return violations.length === 0;
  }

  /** I12: as requested, or in ERROR with a reason; an older database is noticed; and nothing of it undone a little later. */
  async #converge(when: string): Promise<boolean> {
    const { scheduler } = this.#sim;
    const { db, world } = this.#cluster;
    const deadline = scheduler.now + CONVERGE_MS;
    const ageKnown = (): boolean =>
      db.deployment.quarantine !== null || world.storeGeneration <= db.deployment.gcGeneration;
    let noticedBy = scheduler.now + NOTICE_MS;
    const settled = (): boolean => {
      if (scheduler.now > noticedBy) {
        noticedBy = Number.POSITIVE_INFINITY;
        this.#noticed(when);
      }
      return allSettled();
    };
    const allSettled = (): boolean =>
      ageKnown() &&
      [...db.rows.values()].every((row) => isSettled(this.#cluster, row)) &&
      strays(this.#cluster).length === 0;
    if (!(await this.#until(settled, deadline, false)) && this.#sim.violations.length > 0) return false;
    if (!ageKnown()) this.#sim.violate("I12", `nobody noticed an older database ${when}`);
    for (const row of db.rows.values()) {
      if (isSettled(this.#cluster, row)) continue;
      const state = `${row.phase}, requested ${row.desiredState}, operation ${row.operation}, ${row.errorReason ?? "no error"}`;
      this.#sim.violate("I12", `${row.id.slice(0, 4)} does not converge ${when}: ${state}`);
    }
    for (const { id, workspaceId } of strays(this.#cluster))
      this.#sim.violate("I12", `${workspaceId.slice(0, 4)}: ${id} is left ${when}, and nobody knows it`);
    return this.#sim.violations.length === 0;
  }

  /** I12: whatever ended has been noticed, hints or no hints. */
  #noticed(when: string): void {
    const { db, oracle } = this.#cluster;
    for (const row of db.rows.values()) {
      if (row.phase !== "RUNNING" || row.operation !== "NONE" || oracle.routable(row) !== null) continue;
      this.#sim.violate("I12", `${row.id.slice(0, 4)} is told to run an hour ${when}, and does not`);
    }
  }

  /** A person reads every error and does what it says. An admin looks at the quarantine and lifts it. */
  async #recoverAll(): Promise<void> {
    const { db, world, oracle } = this.#cluster;
    const { scheduler } = this.#sim;
    if (db.deployment.quarantine !== null) {
      this.#sim.sometimes("gc: quarantined, then resumed by an admin");
      db.deployment = { ...db.deployment, quarantine: null, gcGeneration: world.storeGeneration };
      oracle.acceptThePast();
    }
    for (let round = 0; round < 3; round++) {
      const ill = [...db.rows.values()].filter((row) => row.phase === "ERROR" && row.deletedAt === null);
      if (ill.length === 0) return;
      for (const row of ill) void this.#users.recover(row.id);
      scheduler.woken = true;
      const answered = (): boolean =>
        ill.every((row) => {
          const now = db.rows.get(row.id);
          return now !== undefined && (now.request?.version ?? 0) <= now.requestDone && isSettled(this.#cluster, now);
        });
      await this.#until(() => false, scheduler.now + 2 * MINUTE, false);
      await this.#until(answered, scheduler.now + CONVERGE_MS, false);
    }
  }

  /** What is still in ERROR now must have a cause that a person could not remove: no good copy is left. */
  #afterRecovery(): void {
    const { db, oracle } = this.#cluster;
    for (const row of db.rows.values()) {
      if (row.deletedAt !== null || row.phase !== "ERROR" || oracle.isHarmed(row)) continue;
      this.#sim.violate(
        "I12",
        `${row.id.slice(0, 4)} stays in ERROR (${row.errorReason}) although nothing is wrong any more`,
      );
    }
  }

  /** L: once retention is past, nothing of a deleted workspace is left, and nobody had to press anything. */
  async #freed(): Promise<void> {
    const { db, world } = this.#cluster;
    const { scheduler } = this.#sim;
    const deleted = [...db.rows.values()].filter((row) => row.deletedAt !== null);
    if (deleted.length === 0) return;
    await this.#until(() => false, scheduler.now + DAY + 14 * HOUR, false);
    if (this.#sim.violations.length > 0) return;
    this.#sim.sometimes("end: deleted workspaces were freed");
    for (const { id } of deleted) void this.#users.undelete(id);
    await this.#until(() => false, scheduler.now + MINUTE, false);
    for (const { id } of deleted) {
      const volumes = db.volumesOf(id).filter((volume) => volume.state !== "gone");
      const objects = [...world.objects.values()].filter((object) => object.workspaceId === id);
      const containers = world.containersOf(id);
      const disks = halfRemoved(this.#cluster).filter((volume) => volume.workspaceId === id);
      const row = db.rows.get(id);
      if (row?.deletedAt === null) this.#sim.violate("L", `${id.slice(0, 4)}: came back after its time`);
      if (row !== undefined && (row.homeVolume !== null || row.archiveKey !== null)) {
        this.#sim.violate("L", `${id.slice(0, 4)}: the row still leads to ${row.homeVolume ?? row.archiveKey}`);
      }
      if (volumes.length + objects.length + containers.length + disks.length === 0) continue;
      const left = `${volumes.map((one) => `${one.name.slice(-8)} ${one.state}`)} ${objects.length} objects, ${containers.length} containers, ${disks.length} half removed claims`;
      this.#sim.violate("L", `${id.slice(0, 4)}: left after its time: ${left}`);
    }
  }

  /**
   * L: three hours after a purge nothing is left of what the database knew of that home, or later by as many ticks as
   * the other purged homes need that go before it: what is removed in a tick is bounded.
   */
  async #purgedSoon(): Promise<void> {
    const { db, world } = this.#cluster;
    const { scheduler, random } = this.#sim;
    const keysOf = (row: Workspace): string[] => {
      const upload = row.archiveOpId === null ? [] : [archiveKey(row.id, row.archiveOpId)];
      return [...db.archivesOf(row.id).map((record) => record.key), ...upload].filter((key) => world.objects.has(key));
    };
    const candidates = [...db.rows.values()].filter((row) => !row.purge && keysOf(row).length > 0);
    if (candidates.length === 0 || db.deployment.quarantine !== null) return;
    const row = random.pick(candidates);
    const keys = keysOf(row);
    const isPurged = (id: string): boolean => id === row.id || db.rows.get(id)?.purge === true;
    const waiting = [...world.objects.values()].filter((object) => isPurged(object.workspaceId)).length;
    const ticks = Math.ceil(waiting / SETTINGS.gcRemovalsPerTick);
    const extraMs = Math.max(0, ticks - PURGE_TICKS) * SETTINGS.gcRemovalIntervalMs;
    void this.#users.delete(row.id, true);
    scheduler.woken = true;
    if (!(await this.#until(() => false, scheduler.now + 3 * HOUR + extraMs, false))) return;
    const left = keys.filter((key) => world.objects.has(key));
    if (left.length > 0)
      this.#sim.violate("L", `${row.id.slice(0, 4)}: ${left.length} objects are left three hours after the purge`);
    else this.#sim.sometimes("end: a purged home was gone within three hours");
  }

  /** L: what nothing protects is collected, also a marker whose object is gone, and an upload that nobody finished. */
  async #collected(): Promise<void> {
    const { db, world } = this.#cluster;
    const { scheduler, random } = this.#sim;
    const [row] = db.rows.values();
    if (row === undefined || db.deployment.quarantine !== null) return;
    // What a removal leaves that ended halfway, and a job that was killed.
    const halfway = archiveKey(row.id, random.uuid());
    world.objects.set(halfway, { ...newObject(world, halfway), lone: true });
    world.uploads.set(`${world.serial()}`, { key: halfway, begunAt: scheduler.now });
    const isLoose = (key: string): boolean =>
      protection(key, db.rows.get(key.slice(0, 36)) ?? null, db.archives.get(key) ?? null, db.now) === null;
    const loose = [...world.objects.keys()].filter(isLoose);
    const uploads = [...world.uploads.keys()];
    const { gcIntervalMs, gcMarkAgeMs, staleUploadMs } = SETTINGS;
    const longestMs = 2 * gcIntervalMs + Math.max(gcMarkAgeMs, staleUploadMs);
    if (!(await this.#until(() => false, scheduler.now + longestMs, false))) return;
    const kept = loose.filter((key) => world.objects.has(key) && isLoose(key));
    if (kept.length > 0) this.#sim.violate("L", `${kept.length} objects are left that nothing protects: ${kept[0]}`);
    const begun = uploads.filter((id) => world.uploads.has(id));
    if (begun.length > 0) this.#sim.violate("L", `${begun.length} uploads are left that nobody finishes`);
    if (this.#sim.violations.length === 0) this.#sim.sometimes("end: a lone marker was collected");
  }

  /**
   * L: a proxy that died delays what was used before by two TTLs after its last word at most, and nothing that is used
   * after that; when it can delay nobody any more, it is forgotten.
   */
  async #deadProxies(): Promise<void> {
    const { db, proxies, activity } = this.#cluster;
    const { scheduler } = this.#sim;
    const { ttlIntervalMs, activitySilenceMs, ttl } = SETTINGS;
    const ttlMs = ttl.standbyTtlSeconds * 1000;
    const slackMs = 3 * ttlIntervalMs;
    if (!proxies.end(false)) return;
    const diedAt = scheduler.now;
    if (!(await this.#until(() => false, diedAt + 2 * ttlMs + activitySilenceMs + slackMs, false))) return;
    for (const row of db.rows.values()) {
      if (row.desiredState !== "RUNNING" || row.phase !== "RUNNING" || row.standbyTtlSeconds !== null) continue;
      this.#sim.violate("L", `${row.id.slice(0, 4)}: still runs two TTLs after a proxy died, and nobody uses it`);
    }
    await this.#demotedInTime(ttlMs + slackMs);
    const longestMs = Math.max(ttlMs, ...[...db.rows.values()].map((row) => (row.standbyTtlSeconds ?? 0) * 1000));
    if (!(await this.#until(() => false, diedAt + 2 * longestMs + activitySilenceMs + slackMs, false))) return;
    for (const source of activity.sources.keys())
      if (!proxies.isAlive(source)) this.#sim.violate("L", `${source} is dead and still registered`);
  }

  /** Somebody starts a workspace and leaves; it goes to standby in its time, whoever died before. */
  async #demotedInTime(withinMs: number): Promise<void> {
    const { db, oracle } = this.#cluster;
    const { scheduler, random } = this.#sim;
    const well = [...db.rows.values()].filter(
      (row) =>
        row.deletedAt === null && row.standbyTtlSeconds === null && row.phase !== "ERROR" && !oracle.isHarmed(row),
    );
    if (well.length === 0 || this.#sim.violations.length > 0) return;
    const { id } = random.pick(well);
    void this.#users.wish(id, "RUNNING");
    scheduler.woken = true;
    const runs = (): boolean => db.rows.get(id)?.phase === "RUNNING";
    if (!(await this.#until(runs, scheduler.now + CONVERGE_MS, false)) || !runs()) return;
    const fell = (): boolean => db.rows.get(id)?.desiredState !== "RUNNING";
    await this.#until(fell, scheduler.now + withinMs, false);
    if (fell()) this.#sim.sometimes("end: a dead proxy delayed nobody any more");
    else this.#sim.violate("L", `${id.slice(0, 4)}: a proxy that died long ago delays its demotion`);
  }
}
