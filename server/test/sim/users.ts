import { requestNodeOff } from "#core/requests/node-off.ts";
import { requestRepository, requestSkip } from "#core/requests/repository.ts";
import type { RequestOutcome } from "#core/requests/requests.ts";
import {
  type RequestInput,
  requestDelete,
  requestLevel,
  requestRecover,
  requestReset,
  requestRestart,
  requestRestoreArchive,
  requestUndelete,
  requestVerify,
  requestWake,
  type Verdict,
} from "#core/requests/requests.ts";
import type { RepositorySource } from "#core/rows/source.ts";
import type { RequestAction, Workspace } from "#core/rows/workspace.ts";
import { isOver } from "#core/rules/gc.ts";
import type { RequestStore } from "#ports/store.ts";
import { SOURCE } from "../fixtures/workspace.ts";
import { type Cluster, LIMITS } from "./cluster.ts";
import { requestStore } from "./fake-store.ts";
import type { SimProxy } from "./proxies.ts";
import type { SimContainer } from "./world.ts";

/** The API's and the proxy's rules, as a record, so that a planted bug can replace one. */
export const USER_RULES = {
  requestLevel,
  requestWake,
  requestReset,
  requestDelete,
  requestUndelete,
  requestRecover,
  requestRestart,
  requestRestoreArchive,
  requestVerify,
  requestRepository,
  requestSkip,
  requestNodeOff,
  /** Which container the proxy connects to, if any. */
  route: (cluster: Cluster, row: Workspace): SimContainer | null => cluster.oracle.routable(row),
  /** How long the proxy may take between its decision and the connection. */
  routeDelayMs: 40,
};
export type UserRules = typeof USER_RULES;

const MINUTE = 60_000;
/** More rows than this only cost time. */
const MOST = 12;
const PATIENT_TTL_SECONDS = 3 * 3_600;

/** People: they create, visit, write, stop, delete, take back and recover, at all the wrong moments. */
export class Users {
  readonly #cluster: Cluster;
  readonly #store: RequestStore;
  readonly #rules: UserRules;
  readonly #owners: string[];
  /** How long people wait between two acts. */
  readonly #paceMs: number;
  active = true;
  /** How many of the workspaces are created with a repository. */
  repositories = 0;

  constructor(cluster: Cluster, paceMs: number) {
    const { sim } = cluster;
    this.#cluster = cluster;
    this.#paceMs = paceMs;
    this.#rules = { ...USER_RULES, ...cluster.plant?.rules };
    this.#store = requestStore({ sim, db: cluster.db, process: cluster.process("api") });
    this.#owners = [sim.random.uuid(), sim.random.uuid()];
  }

  async create(desired: "RUNNING" | "STANDBY" | "ARCHIVED"): Promise<string> {
    const { random } = this.#cluster.sim;
    const id = random.uuid();
    const draft = {
      id,
      ownerId: random.pick(this.#owners),
      name: "home",
      description: null,
      memo: null,
      imageRef: "image:1",
      // Somebody with more patience than the others: what he waits for must not keep them waiting.
      standbyTtlSeconds: random.chance(0.2) ? PATIENT_TTL_SECONDS : null,
      archiveTtlSeconds: null,
      desiredState: desired,
      source: this.repositories > 0 && random.chance(this.repositories) ? this.#repository() : null,
    };
    await this.#store
      .create(draft, ({ slots }) =>
        desired === "RUNNING" && slots.ofOwner >= LIMITS.maxRunningPerUser
          ? { refuse: "limit" }
          : { refuse: null, events: [] },
      )
      .catch(() => null);
    if (!this.#cluster.db.rows.has(id)) return await this.create("STANDBY");
    return id;
  }

  /** Somebody goes on using this workspace for as long as the simulation lasts. */
  live(id: string): void {
    const { scheduler, random } = this.#cluster.sim;
    const hurried = random.chance(0.4);
    const wait = hurried ? random.between(100, 2 * MINUTE) : random.exponential(this.#paceMs);
    scheduler.after(wait, () => {
      if (!this.active) return;
      const row = this.#cluster.db.rows.get(id);
      if (
        row !== undefined &&
        isOver(row) &&
        row.phase === "DELETED" &&
        this.#cluster.db.rows.size < MOST &&
        random.chance(0.6)
      ) {
        // What is gone for good is replaced, so that the days to come are not spent on it.
        void this.create(random.pick(["RUNNING", "STANDBY", "ARCHIVED"])).then((next) => this.live(next));
        return;
      }
      void this.act(id);
      this.live(id);
    });
  }

  async act(id: string): Promise<void> {
    const row = this.#cluster.db.rows.get(id);
    if (row === undefined) return;
    const { random } = this.#cluster.sim;
    const deleted = row.deletedAt !== null;
    const inError = row.phase === "ERROR";
    const act = random.weighted({
      visit: deleted ? 0.5 : 40,
      run: 8,
      standby: deleted ? 0 : 6,
      archive: deleted ? 1 : 10,
      reset: deleted ? 0 : 2,
      delete: deleted ? 1 : 2.5,
      purge: deleted ? 0.6 : 0.3,
      undelete: deleted ? 4 : 0,
      restart: row.phase === "RUNNING" ? 4 : 0,
      recover: inError ? 60 : 0.5,
      older: row.phase === "ARCHIVED" || row.phase === "PENDING" ? 4 : 0.5,
      verify: row.archiveKey === null ? 0 : 1,
      repository: this.repositories > 0 ? 2.5 : 0,
      again: row.source === null ? 0 : 2,
      skip: row.operation === "PREPARING" ? 25 : row.source === null ? 0 : 0.5,
    });
    switch (act) {
      case "visit":
        return await this.visit(id);
      case "run":
        return await this.wish(id, "RUNNING");
      case "standby":
        return await this.wish(id, "STANDBY");
      case "archive":
        return await this.wish(id, "ARCHIVED");
      case "reset":
        return await this.reset(id);
      case "delete":
        return await this.delete(id, false);
      case "purge":
        return await this.delete(id, true);
      case "undelete":
        return await this.undelete(id);
      case "restart":
        return await this.restart(id);
      case "recover":
        return await this.recover(id);
      case "older":
        return await this.useArchive(id);
      case "repository":
        return await this.repository(id, this.#repository());
      case "again":
        return await this.repository(id, null);
      case "skip":
        return await this.skip(id);
      case "verify":
        return await this.#withArchive(
          id,
          "verify",
          (opId) => (input) => this.#rules.requestVerify(input, opId, "user"),
        );
    }
  }

  wish(id: string, level: "RUNNING" | "STANDBY" | "ARCHIVED"): Promise<void> {
    return this.#change(id, `wish ${level}`, (input) => this.#rules.requestLevel(input, level, LIMITS, "user"));
  }

  reset(id: string): Promise<void> {
    return this.#change(id, "reset", (input) => this.#rules.requestReset(input, "home", "user"));
  }

  delete(id: string, purge: boolean): Promise<void> {
    const confirmed = purge ? { confirmation: "home" } : null;
    return this.#change(id, purge ? "purge" : "delete", (input) => this.#rules.requestDelete(input, confirmed, "user"));
  }

  undelete(id: string): Promise<void> {
    return this.#change(id, "undelete", (input) => this.#rules.requestUndelete(input, "user"));
  }

  restart(id: string): Promise<void> {
    return this.#change(id, "restart", (input) => this.#rules.requestRestart(input, "user"));
  }

  /** A repository, or another; null: the one it has, once more. */
  repository(id: string, source: RepositorySource | null): Promise<void> {
    const wish = { source, keysAllowed: null };
    return this.#change(id, "repository", (input) => this.#rules.requestRepository(input, wish, "user"));
  }

  skip(id: string): Promise<void> {
    return this.#change(id, "skip", (input) => this.#rules.requestSkip(input, "user"));
  }

  /** Whoever looks after the machines has switched this one off, and says so for everything that was last seen there. */
  async nodeOff(node: string): Promise<void> {
    const rule = (input: RequestInput): Verdict => this.#rules.requestNodeOff(input, node, "operator");
    for (const { id, conditions } of [...this.#cluster.db.rows.values()])
      if (conditions["infra.container_present"]?.fields?.["node"] === node) await this.#change(id, "node_off", rule);
  }

  #repository(): RepositorySource {
    const name = `project-${this.#cluster.world.serial()}`;
    const key = `${SOURCE.host}/team/${name}`;
    return { ...SOURCE, address: `https://${key}`, cloneUrl: `https://${key}`, key, folder: name };
  }

  /** Makes an archive that is still kept the home again. */
  useArchive(id: string): Promise<void> {
    return this.#withArchive(id, "older", (opId) => (input) => this.#rules.requestRestoreArchive(input, opId, "user"));
  }

  /** Opens the workspace: straight in when it runs, else the visit wakes it. */
  async visit(id: string): Promise<void> {
    const row = this.#cluster.db.rows.get(id);
    if (row === undefined) return;
    const container = this.#rules.route(this.#cluster, row);
    if (container === null) {
      return await this.#change(id, "wake", (input) => this.#rules.requestWake(input, LIMITS, "proxy"));
    }
    const { scheduler, random } = this.#cluster.sim;
    if (row.deletedAt !== null) this.#cluster.sim.violate("I11", `${id.slice(0, 4)}: a deleted workspace is reachable`);
    scheduler.after(random.between(0, this.#rules.routeDelayMs), () => this.#connect(id, container));
  }

  #connect(id: string, container: SimContainer): void {
    const { sim, world } = this.#cluster;
    const there = world.containers.get(container.id);
    if (there === undefined || there.state !== "running") return;
    const proxy = this.#cluster.proxies.pick();
    if (proxy === null) return;
    sim.sometimes("user: opened the IDE");
    this.#used(id, proxy);
    this.#write(id, there, proxy, sim.random.between(1, 4));
  }

  #used(id: string, proxy: SimProxy): void {
    this.#cluster.oracle.truth(id).activity.push({ at: this.#cluster.sim.scheduler.now, proxy });
    this.#cluster.proxies.touch(proxy, id);
  }

  /** An open connection goes on writing for a while, also when the row has moved on, as long as its proxy lives. */
  #write(id: string, container: SimContainer, proxy: SimProxy, times: number): void {
    const { sim, oracle, world } = this.#cluster;
    sim.scheduler.after(sim.random.between(100, 4 * MINUTE), () => {
      if (!proxy.alive || !world.containers.has(container.id) || !oracle.wrote(container)) return;
      sim.sometimes("user: wrote");
      sim.trace(() => `user writes version ${oracle.truth(container.workspaceId).data} of ${id.slice(0, 4)}`);
      this.#used(id, proxy);
      if (times > 1) this.#write(id, container, proxy, times - 1);
    });
  }

  /** What a person would choose after reading the error. */
  async recover(id: string): Promise<void> {
    const row = this.#cluster.db.rows.get(id);
    if (row === undefined) return;
    // Not everybody reads the page before pressing the button.
    const hasty = this.active && this.#cluster.sim.random.chance(0.15);
    const action: RequestAction = hasty ? { kind: "recover" } : this.#choice(row);
    const rule = (input: RequestInput): Verdict => this.#rules.requestRecover(input, action, "home", "user");
    await this.#change(id, `recover ${action.kind}`, rule);
  }

  #choice(row: Workspace): RequestAction {
    const { db, world, oracle } = this.#cluster;
    const good = db
      .archivesOf(row.id)
      .filter((record) => record.state !== "orphan" && record.key !== row.archiveKey)
      .filter((record) => world.objects.has(record.key) && !oracle.harmed.has(record.key))
      .sort((a, b) => b.createdAt - a.createdAt);
    const present = row.archiveKey !== null && world.objects.has(row.archiveKey);
    const current = present && row.archiveKey !== null ? db.archives.get(row.archiveKey) : undefined;
    switch (row.errorReason) {
      case "DataLost": {
        const usable = current !== undefined && !oracle.harmed.has(current.key) ? current : good[0];
        return usable === undefined ? { kind: "start_empty" } : { kind: "restore_archive", opId: usable.opId };
      }
      case "ArchiveCorrupted":
      case "ArchiveAccessError":
        return good[0] === undefined ? { kind: "recover" } : { kind: "use_archive", opId: good[0].opId };
      default:
        return { kind: "recover" };
    }
  }

  async #withArchive(
    id: string,
    what: string,
    rule: (opId: string) => (input: RequestInput) => Verdict,
  ): Promise<void> {
    const { db, sim } = this.#cluster;
    const records = db.archivesOf(id).filter((record) => record.state !== "orphan");
    if (records.length > 0) await this.#change(id, what, rule(sim.random.pick(records).opId));
  }

  async #change(id: string, what: string, rule: (input: RequestInput) => Verdict): Promise<void> {
    const { sim } = this.#cluster;
    try {
      const outcome: RequestOutcome = await this.#store.change(id, { countSlots: true }, rule);
      const answer = outcome.accepted ? "accepted" : outcome.refusal;
      sim.sometimes(`user: ${what.split(" ")[0]} ${answer}`);
      sim.trace(() => `user ${what} ${id.slice(0, 4)}: ${answer}`);
    } catch {
      // The user reads the page again; the request may or may not have been stored.
    }
  }
}
