import { readConfig } from "#config/config.ts";
import type { CoordinatorDeps } from "#coordinator/deps.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { coordinatorSettings } from "../../src/compose/settings.ts";
import { Cluster } from "./cluster.ts";
import type { Commit } from "./database.ts";
import { CALM } from "./faults.ts";
import { Sim } from "./sim.ts";
import { Users } from "./users.ts";

const HOUR = 3_600_000;

export interface StageOptions {
  /** Environment variables, as an operator sets them; everything else has the program's own defaults. */
  readonly env?: Readonly<Record<string, string>>;
  /** The last hand on what the coordinator works with. */
  readonly deps?: (deps: CoordinatorDeps) => CoordinatorDeps;
}

interface Asked {
  readonly at: number;
  readonly what: string;
}

/**
 * One coordinator as the program composes it, with the program's own numbers, on simulated ports and a simulated
 * clock: hours pass in moments, and every call is on record with its time.
 */
export class Stage {
  readonly sim = new Sim(1, false);
  readonly cluster: Cluster;
  readonly users: Users;
  readonly commits: (Commit & { readonly at: number })[] = [];
  readonly #asked: Asked[] = [];

  constructor({ env = {}, deps = (whole) => whole }: StageOptions = {}) {
    this.sim.profile = CALM;
    this.sim.slowness = 0;
    const settings = coordinatorSettings(readConfig(env, { isRoot: false, homeDir: "/nowhere" }), 2, "simulated");
    const plant = {
      name: "stage",
      what: "",
      caughtBy: [],
      deps: (whole: CoordinatorDeps) => deps({ ...whole, settings }),
    };
    this.cluster = new Cluster(this.sim, plant);
    this.users = new Users(this.cluster, HOUR);
    const { onCommit } = this.cluster.db;
    this.cluster.db.onCommit = (commit) => {
      this.commits.push({ ...commit, at: this.sim.scheduler.now });
      onCommit(commit);
    };
    this.sim.counts = ({ process, port, name }) => {
      if (process.name.startsWith("c")) this.#asked.push({ at: this.sim.scheduler.now, what: `${port}.${name}` });
      return false;
    };
    this.cluster.start(0);
  }

  /** How often the coordinator asked this in the next so many seconds. */
  async countFor(seconds: number, ...what: string[]): Promise<number[]> {
    const from = this.#asked.length;
    await this.pass(seconds);
    const asked = this.#asked.slice(from);
    return what.map((one) => asked.filter((call) => call.what === one).length);
  }

  async pass(seconds: number): Promise<void> {
    const until = this.sim.scheduler.now + seconds * 1_000;
    await this.#drain();
    while (await this.sim.scheduler.step(until));
    this.sim.scheduler.now = until;
  }

  async until(done: () => boolean, hours = 3): Promise<void> {
    const { scheduler } = this.sim;
    const deadline = scheduler.now + hours * HOUR;
    await this.#drain();
    while (!done()) if (!(await scheduler.step(deadline))) throw new Error("It did not come to that.");
  }

  /** What a person does, and its answer. */
  async does<T>(act: Promise<T>): Promise<T> {
    let answer: { readonly value: T } | null = null;
    void act.then((value) => {
      answer = { value };
    });
    await this.until(() => answer !== null);
    return (answer as unknown as { readonly value: T }).value;
  }

  async create(level: "RUNNING" | "STANDBY" | "ARCHIVED"): Promise<string> {
    return await this.does(this.users.create(level));
  }

  async reaches(id: string, phase: Workspace["phase"]): Promise<void> {
    await this.until(() => this.row(id).phase === phase && this.row(id).operation === "NONE");
  }

  row(id: string): Workspace {
    const row = this.cluster.db.rows.get(id);
    if (row === undefined) throw new Error(`no row ${id}`);
    return row;
  }

  /** The times of this kind of event, in seconds, one workspace's. */
  timesOf(id: string, kind: string): number[] {
    return this.commits
      .filter((commit) => commit.id === id && commit.events.some((event) => event.kind === kind))
      .map((commit) => commit.at / 1_000);
  }

  async #drain(): Promise<void> {
    this.sim.scheduler.woken = true;
    await this.sim.scheduler.drain();
  }
}
