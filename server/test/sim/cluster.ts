import { runCoordinator } from "#coordinator/coordinator.ts";
import { DECISIONS, type Decisions, type Hints } from "#coordinator/deps.ts";
import type { CoordinatorSettings } from "#coordinator/settings.ts";
import type { Logger } from "#ports/logger.ts";
import { DEFAULT_SETTINGS } from "../fixtures/settings.ts";
import { Database } from "./database.ts";
import { ActivityState, fakeActivity } from "./fake-activity.ts";
import { fakeArchives } from "./fake-archives.ts";
import { Elections } from "./fake-election.ts";
import { EngineWatchers, fakeRuntime, fakeVolumes } from "./fake-engine.ts";
import { JobHost } from "./fake-jobs.ts";
import { kubernetesRuntime, kubernetesVolumes } from "./fake-kubernetes.ts";
import { requestStore } from "./fake-store.ts";
import type { PortName } from "./faults.ts";
import { Kubernetes } from "./kubernetes.ts";
import { Machines } from "./machines.ts";
import { Oracle } from "./oracle.ts";
import type { Plant } from "./plant.ts";
import { Prng } from "./prng.ts";
import { SimProcess } from "./process.ts";
import { Proxies } from "./proxies.ts";
import type { Call, Sim } from "./sim.ts";
import { World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Slower than in production, so that days fit into a seed; the order of the cadences to each other is the same. */
export const SETTINGS: CoordinatorSettings = {
  ...DEFAULT_SETTINGS,
  idleIntervalMs: 8 * MINUTE,
  activeIntervalMs: 30_000,
  activeDurationMs: 60_000,
  operationPollMs: 30_000,
  convergePollMs: 30_000,
  sweepIntervalMs: 25 * MINUTE,
  campaignIntervalMs: 8 * MINUTE,
  pingIntervalMs: 2 * MINUTE,
  leaseMs: 6 * MINUTE,
  ttlIntervalMs: 8 * MINUTE,
  ttl: { standbyTtlSeconds: 3_600, archiveTtlSeconds: 7_200 },
  activitySilenceMs: 15 * MINUTE,
  staleUploadMs: 12 * HOUR,
  housekeepingIntervalMs: 20 * MINUTE,
  gcRemovalIntervalMs: 20 * MINUTE,
  gcRemovalsPerTick: 10,
  trashRetentionMs: 24 * HOUR,
};

/** The session's idle timeout, to the lease as 8 s is to 3 s. */
const IDLE_SESSION_MS = 16 * MINUTE;
export const LIMITS = { maxRunningPerUser: 2, maxRunningGlobal: 100 };

const CHANGED_BY_LEADERS: ReadonlySet<PortName> = new Set(["runtime", "volumes", "archives", "jobs"]);
/**
 * Reads only, or the rest of an act that was begun in time: about a pod or a claim that no later leader can mean, or about a
 * pod that a person has called lost and nobody has heard of since.
 */
const NOT_BEGUN_HERE: ReadonlySet<string> = new Set(["verify", "giveUp", "letGo", "forget"]);

/** What workspaces run on: one machine's engine, or a Kubernetes cluster. */
export type EngineKind = "machine" | "kubernetes";

interface Slot {
  process: SimProcess;
  stop: AbortController;
}

/** The whole deployment: database, engine, store, buffers, and the coordinators as processes that come and go. */
export class Cluster {
  readonly sim: Sim;
  readonly db: Database;
  readonly world: World;
  readonly jobs: JobHost;
  readonly machines: Machines;
  readonly elections: Elections;
  readonly watchers: EngineWatchers;
  readonly activity: ActivityState = new ActivityState();
  readonly proxies: Proxies;
  readonly oracle: Oracle;
  readonly slots: Slot[] = [];
  readonly plant: Plant | null;
  readonly #hints: Map<(id: string | null) => void, SimProcess> = new Map();
  #incarnations = 0;
  #newestTurn = 0;
  hintLoss = 0;

  constructor(sim: Sim, plant: Plant | null, engine: EngineKind = plant?.engine ?? "machine") {
    this.sim = sim;
    this.plant = plant;
    this.db = new Database(sim.random.uuid(), () => sim.wallMs);
    this.world = new World(sim);
    this.jobs = new JobHost(this.world);
    if (engine === "kubernetes") this.world.kubernetes = new Kubernetes(this.world);
    if (this.world.kubernetes !== null) this.jobs.joins(this.world.kubernetes);
    this.proxies = new Proxies(sim, this.activity);
    this.watchers = new EngineWatchers(this.world);
    this.machines = new Machines(new Prng(sim.seed, 50));
    this.elections = new Elections(sim, this.db, {
      idleSessionMs: IDLE_SESSION_MS,
      fence: plant?.unfenced !== true,
      identityOf: (process) => this.machines.identityOf(process),
    });
    this.oracle = new Oracle(sim, this.db, this.world, this.jobs, {
      retentionMs: SETTINGS.trashRetentionMs,
      shortestGraceMs: 60_000,
      perUserLimit: LIMITS.maxRunningPerUser,
      standbyTtlMs: SETTINGS.ttl.standbyTtlSeconds * 1000,
      activityBoundMs: SETTINGS.activitySilenceMs + SETTINGS.ttlIntervalMs + MINUTE,
    });
    this.db.onCommit = (commit) => {
      this.oracle.commit(commit);
      if (commit.before === null || commit.epoch === null) this.#wake(commit.id);
    };
    this.jobs.onEnded = (id) => this.#wake(id);
    // Planted elsewhere, a bug may lie between the check of a lease and the call that it allows.
    if (plant === null || plant.caughtBy.includes("IE")) sim.onCall = (call) => this.#checkTurn(call);
    plant?.prepare?.(this);
  }

  /** Starts a coordinator in a slot, or a new one in place of one that ended. */
  start(slot: number): void {
    const { sim } = this;
    const process = this.process(`c${slot}.${++this.#incarnations}`);
    const stop = new AbortController();
    this.slots[slot] = { process, stop };
    this.machines.settle(process, slot);
    const judgeFormerLeader: Decisions["judgeFormerLeader"] = (...asked) => {
      const judged = DECISIONS.judgeFormerLeader(...asked);
      sim.sometimes(`succession: ${judged.why}`);
      return judged;
    };
    const isCluster = this.world.kubernetes !== null;
    const [runtimeOn, volumesOn] = isCluster ? [kubernetesRuntime, kubernetesVolumes] : [fakeRuntime, fakeVolumes];
    const decisions: Decisions = { ...DECISIONS, judgeFormerLeader, ...this.plant?.decisions?.(this) };
    const deps = {
      clock: process.clock,
      ids: process.ids,
      logger: this.#logger(process),
      election: this.elections.of(process),
      witness: this.machines.witnessOf(process),
      requestStore: requestStore({ sim, db: this.db, process }, (id) => this.oracle.ttlRead(process.name, id)),
      runtime: runtimeOn(this.world, process, this.watchers, (spec) => this.oracle.starts(spec, this.#leads(process))),
      volumes: volumesOn(this.world, process),
      archives: fakeArchives(this.world, process, this.db.deployment.storeId),
      jobs: this.jobs.of(process),
      setup: this.jobs.setupOf(process),
      hints: this.#hintsOf(process),
      activity: fakeActivity(sim, this.activity, process),
      decisions,
      settings: SETTINGS,
    };
    sim.trace(() => `${process.name} starts`);
    sim.scheduler.woken = true;
    const run = runCoordinator(this.plant?.deps?.(deps, this) ?? deps, stop.signal);
    run.then(
      () => {
        sim.trace(() => `${process.name} ended`);
        if (!stop.signal.aborted) sim.violate("CODE", `${process.name}: the coordinator returned by itself`);
        process.alive = false;
      },
      (error: unknown) => {
        process.alive = false;
        sim.violate("CODE", `${process.name}: the coordinator threw ${describe(error)}`);
      },
    );
  }

  process(name: string): SimProcess {
    return new SimProcess(name, this.sim.scheduler, this.sim.seed, 100 + ++this.#incarnations);
  }

  /** Kill -9. The kernel closes its connections, unless the whole machine is gone. */
  kill(process: SimProcess, machine: boolean): void {
    const { sim } = this;
    process.kill(() => sim.random.chance(0.5));
    this.jobs.orphan(process);
    const session = this.elections.holder;
    if (session?.process === process && !machine) {
      sim.scheduler.after(sim.random.between(1, 50), () => this.elections.drop(session, false));
    }
  }

  /** IE: nobody begins to change the world once a later leader has. */
  #checkTurn({ process, port, name, about, reads }: Call<unknown>): void {
    const turn = this.elections.turnOf(process);
    if (turn === null || reads || !CHANGED_BY_LEADERS.has(port) || NOT_BEGUN_HERE.has(name)) return;
    if (turn < this.#newestTurn)
      this.sim.violate("IE", `${process.name} ${port}.${name} ${about}: a later leader has acted`);
    this.#newestTurn = Math.max(this.#newestTurn, turn);
  }

  #leads(process: SimProcess): boolean {
    return this.elections.holder?.process === process;
  }

  #wake(id: string): void {
    const { random, scheduler } = this.sim;
    for (const [onHint, process] of this.#hints) {
      if (!process.alive) {
        this.#hints.delete(onHint);
        continue;
      }
      if (random.chance(this.hintLoss)) continue;
      // After a gap the listener does not know what it missed.
      const told = random.chance(this.hintLoss / 4) ? null : id;
      scheduler.after(random.between(1, 300), () => process.deliver(() => onHint(told)));
    }
  }

  #hintsOf(process: SimProcess): Hints {
    return {
      subscribe: (onHint) => {
        this.#hints.set(onHint, process);
        return { end: () => void this.#hints.delete(onHint) };
      },
    };
  }

  #logger(process: SimProcess): Logger {
    const { sim } = this;
    const make = (bound: object): Logger => {
      const write = (level: string) => (fields: object, message: string) =>
        sim.trace(() => `${process.name}   [${level}] ${message} ${JSON.stringify({ ...bound, ...fields })}`);
      return {
        debug: write("debug"),
        info: write("info"),
        warn: write("warn"),
        error: write("error"),
        child: (fields) => make({ ...bound, ...fields }),
      };
    };
    return make({});
  }
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
