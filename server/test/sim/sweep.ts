import type { Workspace } from "#core/rows/workspace.ts";
import { setupDue } from "#core/rules/setup.ts";
import { Cluster } from "./cluster.ts";
import type { FaultKind } from "./faults.ts";
import { type CrashPoint, Sim, type Violation } from "./sim.ts";
import { Users } from "./users.ts";

const HOUR = 3_600_000;
const SEED = 20_260_105;
/** Leadership itself is not an await of an operation; the random seeds cover it. */
const LEADERSHIP: ReadonlySet<string> = new Set(["ping", "campaign", "begun", "ended", "release"]);

/** `cluster`: the same life on Kubernetes, where most acts are several requests. */
export const SCENARIOS = ["life", "cluster", "archive", "restore"] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export interface ScenarioResult {
  readonly steps: number;
  readonly virtualMs: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly seen: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
  readonly calls: number;
  readonly lines: readonly string[];
}

/**
 * The same scripted life every time, in which the leader is killed at the given calls, before or after their effect.
 * Whatever the point, the script must come to its end with the data intact.
 */
export async function runScenario(
  name: ScenarioName,
  points: readonly CrashPoint[],
  tracing = false,
): Promise<ScenarioResult> {
  const sim = new Sim(SEED, tracing);
  const cluster = new Cluster(sim, null, name === "cluster" ? "kubernetes" : "machine");
  const script = new Script(sim, cluster, points);
  await script.play(name);
  return {
    steps: sim.scheduler.steps,
    virtualMs: sim.scheduler.now,
    faults: sim.faults,
    seen: sim.seen,
    violations: sim.violations,
    calls: sim.countedCalls,
    lines: sim.lines,
  };
}

/** Thrown to leave the script at the first violation. */
class Ended extends Error {}

class Script {
  readonly #sim: Sim;
  readonly #cluster: Cluster;
  readonly #users: Users;
  #id = "";

  constructor(sim: Sim, cluster: Cluster, points: readonly CrashPoint[]) {
    this.#sim = sim;
    this.#cluster = cluster;
    this.#users = new Users(cluster, HOUR);
    sim.crashPoints = [...points];
    sim.onCrashPoint = (process) => {
      sim.inject("crash", () => `${process.name} at call ${sim.countedCalls}`);
      cluster.kill(process, false);
      const slot = cluster.slots.findIndex((one) => one.process === process);
      sim.scheduler.after(2_000, () => cluster.start(slot));
    };
  }

  async play(name: ScenarioName): Promise<void> {
    this.#cluster.start(0);
    this.#cluster.start(1);
    if (name === "life" || name === "cluster") this.#users.repositories = 1;
    try {
      await this.#create("RUNNING");
      await this.#until("RUNNING");
      if (name === "archive" || name === "restore") await this.#path(name);
      else await this.#life();
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
  }

  async #life(): Promise<void> {
    this.#count(true);
    this.#write();
    await this.#do(this.#users.repository(this.#id, null));
    await this.#until("RUNNING", (row) => !setupDue(row) && (row.request?.version ?? 0) === row.requestDone);
    this.#write();
    await this.#wish("STANDBY");
    await this.#wish("ARCHIVED");
    await this.#wish("RUNNING");
    this.#write();
    await this.#do(this.#users.restart(this.#id));
    await this.#until("RUNNING", (row) => (row.request?.version ?? 0) === row.requestDone);
    this.#write();
    await this.#wish("ARCHIVED");
    await this.#do(this.#users.reset(this.#id));
    await this.#until("PENDING");
    await this.#do(this.#users.useArchive(this.#id));
    await this.#until("ARCHIVED", (row) => (row.request?.version ?? 0) === row.requestDone);
    await this.#wish("RUNNING");
    this.#write();
    await this.#do(this.#users.delete(this.#id, false));
    await this.#until("DELETED", (row) => row.homeVolume === null);
    await this.#do(this.#users.undelete(this.#id));
    await this.#until("ARCHIVED");
    await this.#wish("RUNNING");
    await this.#do(this.#users.delete(this.#id, true));
    await this.#until("DELETED", (row) => row.homeVolume === null && row.archiveKey === null);
    await this.#create("ARCHIVED");
    await this.#until("ARCHIVED");
    await this.#wish("RUNNING");
    this.#count(false);
  }

  async #path(name: "archive" | "restore"): Promise<void> {
    this.#write();
    await this.#wish("STANDBY");
    this.#count(name === "archive");
    await this.#wish("ARCHIVED");
    this.#count(name === "restore");
    await this.#wish("STANDBY");
    this.#count(false);
    await this.#wish("RUNNING");
  }

  #count(on: boolean): void {
    const ours = (name: string): boolean => name.startsWith("c");
    this.#sim.counts = on ? (call) => ours(call.process.name) && !LEADERSHIP.has(call.name) : () => false;
  }

  async #create(level: "RUNNING" | "ARCHIVED"): Promise<void> {
    let made: string | null = null;
    void this.#users.create(level).then((id) => {
      made = id;
    });
    await this.#run(() => made !== null);
    this.#id = made ?? "";
  }

  async #wish(level: "RUNNING" | "STANDBY" | "ARCHIVED"): Promise<void> {
    await this.#do(this.#users.wish(this.#id, level));
    await this.#until(level);
  }

  /** A person saves something through the proxy. */
  #write(): void {
    const row = this.#cluster.db.rows.get(this.#id);
    const container = row === undefined ? null : this.#cluster.oracle.routable(row);
    if (container === null || !this.#cluster.oracle.wrote(container)) {
      this.#sim.violate("I12", "a workspace that runs cannot be opened");
      throw new Ended();
    }
  }

  async #do(act: Promise<void>): Promise<void> {
    let done = false;
    void act.then(() => {
      done = true;
    });
    await this.#run(() => done);
  }

  async #until(phase: Workspace["phase"], also: (row: Workspace) => boolean = () => true): Promise<void> {
    await this.#run(() => {
      const row = this.#cluster.db.rows.get(this.#id);
      return row !== undefined && row.operation === "NONE" && row.phase === phase && also(row);
    }, phase);
  }

  async #run(done: () => boolean, waitingFor = "an answer"): Promise<void> {
    const { scheduler, violations } = this.#sim;
    const deadline = scheduler.now + 12 * HOUR;
    scheduler.woken = true;
    await scheduler.drain();
    while (!done()) {
      if (!(await scheduler.step(deadline))) {
        this.#sim.violate("I12", `${this.#id.slice(0, 4)} does not reach ${waitingFor}`);
      }
      this.#cluster.oracle.check();
      if (violations.length > 0) throw new Ended();
    }
  }
}
