import type { Workspace } from "#core/rows/workspace.ts";
import { isOver } from "#core/rules/gc.ts";
import type { Commit } from "./database.ts";
import type { Truth, Truths } from "./truths.ts";
import { KNOWN_FORMAT, type SimContainer } from "./world.ts";

/** What changes between a job's last look and the commit could not be noticed. */
const UNNOTICED_MS = 10 * 60_000;

/** What the coordinator may write, and what follows from it: the pointers, their fence and their consent. */
export class CommitChecks {
  readonly #truths: Truths;

  constructor(truths: Truths) {
    this.#truths = truths;
  }

  check(commit: Commit): void {
    const { before } = commit;
    const truth = this.#truths.truth(commit.id);
    if (before !== null) {
      this.#fenced(commit, before);
      this.#pointers(commit, before, truth);
      this.#toldLoss(commit, before);
    }
    if (commit.after.deletedAt !== null) truth.deletedAt = this.#truths.db.now;
    if (before?.operation === "PREPARING") this.#noted(commit, before, truth);
    for (const event of commit.events) this.#covers(event.kind, commit);
  }

  /** I22: what somebody asked for is given up only because nobody waits for it any more. */
  #noted({ after }: Commit, before: Workspace, truth: Truth): void {
    const { sim } = this.#truths;
    const { setup } = after.homeCtx;
    if (setup === null || setup === before.homeCtx.setup) return;
    sim.sometimes(`repository: ${setup.state}`);
    const wanted = setup.version === after.setupWanted && after.setupSkipped < setup.version;
    const deleted = truth.deletedAt >= (before.opStartedAt ?? 0);
    if (setup.state === "skipped" && wanted && !deleted)
      sim.violate("I22", `${after.id.slice(0, 4)}: request ${setup.version} was given up, and somebody waits for it`);
  }

  /** I4: only the newest leader writes verdicts, only for its own attempt, and an attempt begins with a claim. */
  #fenced({ epoch, after }: Commit, before: Workspace): void {
    const { sim, db } = this.#truths;
    const id = after.id.slice(0, 4);
    if (epoch !== null && epoch !== db.epoch) sim.violate("I4", `${id}: epoch ${epoch} commits under ${db.epoch}`);
    if (after.opId !== null && after.opId !== before.opId) {
      const { attempts } = this.#truths.truth(after.id);
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
    const { sim } = this.#truths;
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

  /** I20: a home is told to be lost only when it is: whatever else answers in place of our engine or store. */
  #toldLoss({ after }: Commit, before: Workspace): void {
    const { sim, world, harmed } = this.#truths;
    const pointer = after.homeVolume ?? after.archiveKey;
    if (after.errorReason === null || after.errorReason === before.errorReason || pointer === null) return;
    const object = after.homeVolume === null ? world.objects.get(pointer) : undefined;
    const there = after.homeVolume === null ? object?.meta != null && !object.lone : world.volumes.has(pointer);
    const told = ["DataLost", "ContainerWithoutVolume", "ArchiveAccessError"].includes(after.errorReason);
    if (told && there && !harmed.has(pointer))
      sim.violate("I20", `${after.id.slice(0, 4)}: ${after.errorReason} is told, but ${pointer} is there`);
  }

  /** Follows the authority from commit to commit: what is consented to changes what is true. */
  #pointers({ after, events }: Commit, before: Workspace, truth: Truth): void {
    const { sim } = this.#truths;
    const id = after.id.slice(0, 4);
    if (before.homeVolume !== null && after.homeVolume !== before.homeVolume) truth.left.add(before.homeVolume);
    if (after.homeVolume !== null && after.homeVolume !== before.homeVolume) {
      if (truth.left.has(after.homeVolume)) sim.violate("I5", `${id}: ${after.homeVolume} is current again`);
      this.#restored(before, after);
    }
    const operation = before.operation;
    const completed = events.some((event) => event.kind === "operation_completed");
    if (completed && operation === "ARCHIVING") this.#archived(before, after);
    if (completed && operation === "STARTING") this.#started(after);
    const wished = before.desiredState === "PENDING" && before.deletedAt === null;
    if (completed && operation === "DISCARDING" && wished && before.archiveKey !== null && after.archiveKey === null) {
      const record = this.#truths.db.archives.get(before.archiveKey);
      if (record?.state === "trash" && !this.#truths.harmed.has(before.archiveKey)) {
        truth.trash.set(before.archiveKey, { content: truth.data, until: record.keepUntil ?? 0 });
      }
      truth.data = 0;
      truth.gone = false;
      truth.rolledBack = false;
    }
    const moved = after.homeVolume !== before.homeVolume || after.archiveKey !== before.archiveKey;
    if (moved && events.some((event) => event.kind === "request_answered")) {
      const chosen = this.#truths.leadsTo(after);
      // An older database may offer archives that its future has removed: choosing one is loud at the next look.
      if (chosen === undefined && after.archiveKey !== null) this.#truths.harm(after.archiveKey, after.id);
      truth.data = chosen ?? 0;
      truth.gone = false;
      truth.rolledBack = false;
      if (after.archiveKey !== null) truth.trash.delete(after.archiveKey);
    } else if (
      moved &&
      truth.gone &&
      !this.#truths.holds(after.id, truth.data) &&
      !isOver(after) &&
      this.#truths.isHarmed(before) &&
      operation !== "DISCARDING"
    ) {
      sim.violate("I18", `${id}: a lost home was replaced without anybody's consent`);
    }
  }

  /** I23: what is told to run is not left behind those that run. */
  #started({ id, endpoint }: Workspace): void {
    const container = this.#truths.world.containers.get(endpoint?.containerId ?? "");
    if (container?.behind === true) this.#truths.sim.violate("I23", `${id.slice(0, 4)}: it runs, and is left behind`);
  }

  /** I6: nothing becomes the home before it was read back and found equal to where it came from. */
  #archived(before: Workspace, after: Workspace): void {
    const { sim } = this.#truths;
    const object = after.archiveKey === null ? undefined : this.#truths.world.objects.get(after.archiveKey);
    const id = after.id.slice(0, 4);
    if (object?.readBack !== true) sim.violate("I6", `${id}: an archive became the home without being read back`);
    if (
      before.homeVolume !== null &&
      this.#truths.world.referencing(before.homeVolume).some((one) => this.#wasStarted(one))
    ) {
      sim.violate("I9", `${id}: archived while a container of the recorded attempt is on the volume`);
    }
  }

  /** Containers that late or repeated requests bring back are nobody's; the one people were routed to must be gone. */
  #wasStarted(container: SimContainer): boolean {
    const row = this.#truths.db.rows.get(container.workspaceId);
    return row?.endpoint?.containerId === container.id;
  }

  #restored(before: Workspace, after: Workspace): void {
    const volume = after.homeVolume === null ? undefined : this.#truths.world.volumes.get(after.homeVolume);
    const source = before.archiveKey === null ? undefined : this.#truths.world.objects.get(before.archiveKey);
    const id = after.id.slice(0, 4);
    if (before.operation !== "RESTORING" || volume === undefined) return;
    if (source !== undefined && !this.#truths.harmed.has(source.key) && volume.content !== source.content) {
      this.#truths.sim.violate("I6", `${id}: a restored home is ${volume.content}, its archive ${source.content}`);
    }
    const marked = source === undefined ? undefined : this.#truths.harmed.get(source.key);
    const unnoticed = marked !== undefined && this.#truths.sim.scheduler.now - marked.at < UNNOTICED_MS;
    if ((source?.meta?.formatVersion ?? KNOWN_FORMAT) > KNOWN_FORMAT && !unnoticed) {
      this.#truths.sim.violate("I13", `${id}: an archive of a newer format was restored`);
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
    if (named.has(kind)) this.#truths.sim.sometimes(`${kind}: ${operation}`);
    else if (kind === "error") this.#truths.sim.sometimes(`error: ${after.errorReason}`);
    else if (kind === "request_answered") this.#truths.sim.sometimes(`request answered: ${after.request?.action.kind}`);
    else this.#truths.sim.sometimes(`event: ${kind}`);
    if (after.phase === "ERROR" && before?.phase !== "ERROR")
      this.#truths.sim.sometimes(`error seen: ${after.errorReason}`);
    if (before?.phase === "ERROR" && after.phase !== "ERROR")
      this.#truths.sim.sometimes(`left ERROR: ${before.errorReason}`);
  }
}
