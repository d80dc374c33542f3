import { archiveKey } from "#core/rows/names.ts";
import type { ArchiveRecord, Ms, Workspace } from "#core/rows/workspace.ts";

/** A deletion that nobody can undo any more: the row promises nothing. */
export function isOver(row: Workspace): boolean {
  return row.deletedAt !== null && (row.purge || row.expiredAt !== null);
}

/**
 * In ERROR the copy the row leads to may be the lost or damaged one. Until a person has looked, nothing that could take
 * its place is removed: not an upload that was never committed, not a retired volume. A deleted row is never in ERROR,
 * because its last copy is tried again and again; so while it can be undone, any error of it counts.
 */
function awaitsPerson(row: Workspace): boolean {
  if (row.errorInfo === null || isOver(row)) return false;
  return row.errorInfo.isTerminal || row.deletedAt !== null;
}

/** The store is listed this often. */
export const LISTING_EVERY_MS = 4 * 3_600_000;
/** An object goes only when nothing has protected it for this long. */
export const MARK_AGE_MS = 2 * 3_600_000;
/** No term needs to be older than this for the first tick of any of its parts: where leaders change often, every part still gets its turn. */
export const FIRST_TICK_MS = 600_000;

/** When the store will be listed next, as far as it is known. A new leader does not wait for the turn of the one before. */
export function nextListingAt(lastRunAt: Ms | null, leaderSince: Ms | null): Ms | null {
  if (leaderSince === null) return null;
  return lastRunAt !== null && lastRunAt > leaderSince ? lastRunAt + LISTING_EVERY_MS : leaderSince + FIRST_TICK_MS;
}

/**
 * Why an object stays. in_use: its workspace leads to it. version: an older copy that is kept. trash: a reset or a
 * deletion can still be taken back. operation: it is being written. error: a person has to look at its workspace first.
 */
export const KEPT_REASONS = ["in_use", "version", "trash", "operation", "error"] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

export interface KeptCount {
  readonly reason: KeptReason;
  readonly count: number;
  /** The earliest time at which one of them is let go of, where that is known. */
  readonly until: Ms | null;
}

/**
 * Why an object must stay, or null when nothing protects it. Asked when it is marked and again in the transaction
 * that gives it up, always against rows that were read after the store was listed.
 */
export function protection(
  key: string,
  row: Workspace | null,
  record: ArchiveRecord | null,
  now: Ms,
): KeptReason | null {
  if (row === null) return null;
  const over = isOver(row);
  const attemptKey = (attempt: string | null): string | null => (attempt === null ? null : archiveKey(row.id, attempt));
  if (row.archiveKey === key && !over) return row.deletedAt === null ? "in_use" : "trash";
  if (row.operation !== "NONE" && (attemptKey(row.opId) === key || attemptKey(row.archiveOpId) === key)) {
    return "operation";
  }
  if (awaitsPerson(row)) return "error";
  if (record === null) return null;
  if (record.state === "version" && !over) return "version";
  if (record.state === "trash" && !(row.deletedAt !== null && row.purge) && (record.keepUntil ?? now) > now) {
    return "trash";
  }
  return null;
}

/** Counts what stays, by reason. */
export class KeptTally {
  readonly #counts = new Map<KeptReason, { count: number; until: Ms | null }>();

  add(reason: KeptReason, record: ArchiveRecord | null): void {
    const before = this.#counts.get(reason) ?? { count: 0, until: null };
    const until = reason === "trash" ? (record?.keepUntil ?? null) : null;
    const earliest = before.until === null || (until !== null && until < before.until) ? until : before.until;
    this.#counts.set(reason, { count: before.count + 1, until: earliest ?? before.until });
  }

  counts(): KeptCount[] {
    return KEPT_REASONS.flatMap((reason) => {
      const counted = this.#counts.get(reason);
      return counted === undefined ? [] : [{ reason, ...counted }];
    });
  }
}

/** Whether a retired volume may be removed now; the caller has seen that no container references it. */
export function mayReap(name: string, row: Workspace | null, retiredAt: Ms | null, graceMs: number, now: Ms): boolean {
  if (retiredAt === null || now - retiredAt < graceMs) return false;
  if (row === null) return true;
  return row.homeVolume !== name && !awaitsPerson(row);
}
