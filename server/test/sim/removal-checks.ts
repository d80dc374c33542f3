import { archiveKey, volumeName } from "#core/rows/names.ts";
import { isOver } from "#core/rules/gc.ts";
import type { OracleSettings } from "./oracle.ts";
import type { Truths } from "./truths.ts";
import type { Removal, SimObject, SimVolume } from "./world.ts";

const UNNOTICED_MS = 10 * 60_000;

/** What may be removed, and who may write into a volume. */
export class RemovalChecks {
  readonly #truths: Truths;
  readonly #settings: OracleSettings;

  constructor(truths: Truths, settings: OracleSettings) {
    this.#truths = truths;
    this.#settings = settings;
  }

  volumeRemoved(volume: SimVolume, asked: Removal): void {
    const { sim, db } = this.#truths;
    const row = db.rows.get(volume.workspaceId);
    const id = volume.workspaceId.slice(0, 4);
    sim.sometimes("reaper: a retired volume was removed");
    if (row === undefined || this.#fromTheFuture(volume.name, row.id, asked)) return;
    const truth = this.#truths.truth(row.id);
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
    if (volume.content === truth.data && truth.data !== 0 && !isOver(row) && !this.#truths.holds(row.id, truth.data)) {
      if (this.#excused(row.id, asked)) {
        truth.gone = true;
        return;
      }
      sim.violate("I7", `${id}: the last copy of version ${truth.data} was removed`);
    }
  }

  objectRemoved(object: SimObject, asked: Removal): void {
    const { sim, db } = this.#truths;
    sim.sometimes("gc: an object was removed");
    const row = db.rows.get(object.workspaceId);
    if (row === undefined || this.#fromTheFuture(object.key, row.id, asked)) return;
    const id = row.id.slice(0, 4);
    const truth = this.#truths.truth(row.id);
    const over = isOver(row);
    if (row.archiveKey === object.key && !over) sim.violate("I7", `${id}: the current archive was removed`);
    if (row.operation !== "NONE" && row.opId !== null && archiveKey(row.id, row.opId) === object.key) {
      sim.violate("I7", `${id}: the object of the running attempt was removed`);
    }
    const promised = truth.trash.get(object.key);
    if (promised !== undefined && promised.until > db.now && !row.purge) {
      sim.violate("I1r", `${id}: a discarded archive was removed before its time`);
    }
    if (object.content === truth.data && truth.data !== 0 && !over && !this.#truths.holds(row.id, truth.data)) {
      // Damage that nobody has seen yet: the row leads to a copy that was read back whole.
      if (row.errorInfo?.isTerminal !== true && this.#truths.isHarmed(row)) {
        truth.gone = true;
        return;
      }
      sim.violate("I7", `${id}: the last copy of version ${truth.data} was removed`);
    }
  }

  /** I5 and I9: one attempt per name, and no job writes where a container is. */
  volumeWritten(volume: SimVolume, attempt: string): void {
    const id = volume.workspaceId.slice(0, 4);
    if (volume.writers.size > 1) this.#truths.sim.violate("I5", `${id}: two attempts wrote ${volume.name.slice(-8)}`);
    if (!this.#truths.truth(volume.workspaceId).attempts.has(attempt)) {
      this.#truths.sim.violate("I4", `${id}: attempt ${attempt.slice(0, 8)} acts without a claim`);
    }
    if (this.#truths.world.referencing(volume.name).some((container) => container.state === "running")) {
      this.#truths.sim.violate("I9", `${id}: a job writes into a volume that a container has mounted`);
    }
  }

  /** On its way when the database was taken back: for the older one it is as if nature had done it, and it must show. */
  #fromTheFuture(name: string, id: string, asked: Removal): boolean {
    // Everybody is dead at that moment: what was asked in the same millisecond was asked before.
    if (asked.askedAt > this.#truths.restoredAt) return false;
    this.#truths.harm(name, id);
    return true;
  }

  /** Damage that is younger than the last look at the archive, or than the request itself, could not be noticed by it. */
  #excused(id: string, { askedAt }: Removal): boolean {
    for (const [name, { workspaceId, at }] of this.#truths.harmed) {
      if (workspaceId === id && askedAt - at < UNNOTICED_MS) return !name.startsWith("ws-");
    }
    return false;
  }
}
