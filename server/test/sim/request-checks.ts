import { LEVELS, type LevelName, type Workspace } from "#core/rows/workspace.ts";
import { isOver } from "#core/rules/gc.ts";
import type { Commit } from "./database.ts";
import type { OracleSettings } from "./oracle.ts";
import { EPOCH_MS } from "./process.ts";
import type { SimProxy } from "./proxies.ts";
import type { Truth, Truths } from "./truths.ts";

/** What a person can ask of a level; each of them counts, also a repeated one. */
const WISHES = ["wish", "wake", "reset", "delete", "undelete"] as const;

/** Who may change a request and when, and how many may run. */
export class RequestChecks {
  readonly #truths: Truths;
  readonly #settings: OracleSettings;
  readonly #ttlReads: Map<string, number> = new Map();

  constructor(truths: Truths, settings: OracleSettings) {
    this.#truths = truths;
    this.#settings = settings;
  }

  check(commit: Commit): void {
    const { before } = commit;
    if (before !== null) this.#requestStore(commit, before, this.#truths.truth(commit.id));
    this.#limits(commit.after);
  }

  /** I11, I14 and IW: requests are only changed by those who may, and time only moves forward. */
  #requestStore(commit: Commit, before: Workspace, truth: Truth): void {
    const { sim } = this.#truths;
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
      const age = this.#truths.db.now - (after.deletedAt ?? this.#truths.db.now);
      if (age < this.#settings.retentionMs) sim.violate("I11", `${id}: expired ${age} ms after its deletion`);
    }
    if (after.lastAccessAt < before.lastAccessAt) sim.violate("I14", `${id}: last access went back`);
    const empties = before.desiredState === "PENDING" && (before.homeVolume ?? before.archiveKey) !== null;
    if (kinds.has("wake") && (empties || before.deletedAt !== null)) {
      sim.violate("IW", `${id}: a visit cancelled ${before.desiredState}`);
    } else if (kinds.has("wake") && before.desiredState === "PENDING") {
      sim.sometimes("user: wake accepted of an empty one");
    }
    if (kinds.has("idle")) this.#fell(commit, before, truth);
    if (kinds.has("taken_away") && (before.deletedAt !== null || before.desiredState !== "RUNNING")) {
      sim.violate("IW", `${id}: what the engine took away turned ${before.desiredState} into ${after.desiredState}`);
    }
    if (WISHES.some((kind) => kinds.has(kind))) truth.lastRequestAt = sim.scheduler.now;
  }

  /** A candidate of the TTL runner was read: what it decides later is as old as this. Null: the list of all. */
  ttlRead(by: string, id: string | null): void {
    this.#ttlReads.set(`${by} ${id ?? "all"}`, this.#truths.sim.scheduler.now);
  }

  #fell({ after, by }: Commit, before: Workspace, truth: Truth): void {
    const { sim } = this.#truths;
    const { now } = sim.scheduler;
    const id = after.id.slice(0, 4);
    const readAt = Math.max(this.#ttlReads.get(`${by} all`) ?? 0, this.#ttlReads.get(`${by} ${after.id}`) ?? 0);
    const lowered = LEVELS[after.desiredState as LevelName] < LEVELS[before.desiredState as LevelName];
    if (before.deletedAt !== null || !lowered)
      sim.violate("IW", `${id}: idleness turned ${before.desiredState} into ${after.desiredState}`);
    if (truth.lastRequestAt > readAt)
      sim.violate("IW", `${id}: idleness overrode a wish that was newer than what it had read`);
    if (after.desiredState !== "STANDBY") return;
    const ttlMs = (before.standbyTtlSeconds ?? this.#settings.standbyTtlMs / 1000) * 1000;
    for (const { at, proxy } of truth.activity) {
      const idleMs = now - at;
      // What was used a moment ago may still be on its way; what is older than the bound must have counted.
      if (idleMs <= this.#settings.activityBoundMs || idleMs >= ttlMs) continue;
      if (proxy.flushedAt < at && this.#waitedOut(before, proxy, ttlMs)) continue;
      sim.violate("I14", `${id}: stopped ${idleMs} ms after somebody used it through ${proxy.source}`);
    }
  }

  /** What a proxy holds back is waited for by one TTL more, and no longer than two after its last word. */
  #waitedOut(before: Workspace, proxy: SimProxy, ttlMs: number): boolean {
    const { now } = this.#truths.sim.scheduler;
    const idleSince = Math.max(before.lastAccessAt, before.phaseChangedAt, before.keepAwakeUntil ?? 0) - EPOCH_MS;
    const waitsFrom = Math.max(idleSince + ttlMs, proxy.flushedAt);
    return now > Math.min(waitsFrom + ttlMs, proxy.flushedAt + 2 * ttlMs);
  }

  /** I19: what runs or is being started never exceeds the limit of its owner. */
  #limits(after: Workspace): void {
    if (after.phase !== "RUNNING" && after.operation !== "STARTING") return;
    let running = 0;
    for (const row of this.#truths.db.rows.values()) {
      if (row.ownerId !== after.ownerId || row.deletedAt !== null) continue;
      if (row.phase === "RUNNING" || row.operation === "STARTING") running++;
    }
    if (running > this.#settings.perUserLimit) {
      this.#truths.sim.violate(
        "I19",
        `${after.ownerId.slice(0, 4)}: ${running} run, ${this.#settings.perUserLimit} may`,
      );
    }
  }
}
