import { archiveKey } from "./names.ts";
import type { ArchiveRecord, Ms, Workspace } from "./workspace.ts";

/** A deletion that nobody can undo any more: the row promises nothing. */
export function isOver(row: Workspace): boolean {
  return row.deletedAt !== null && (row.purge || row.expiredAt !== null);
}

/**
 * In ERROR the copy the row leads to may be the lost or damaged one. Until a person has looked, nothing that could take
 * its place is removed: not an upload that was never committed, not a retired volume.
 */
const awaitsPerson = (row: Workspace): boolean => row.errorInfo?.isTerminal === true && !isOver(row);

/**
 * Why an object must stay, or null when nothing protects it. Asked when it is marked and again in the transaction
 * that gives it up, always against rows that were read after the store was listed.
 */
export function protection(key: string, row: Workspace | null, record: ArchiveRecord | null, now: Ms): string | null {
  if (row === null) return null;
  const over = isOver(row);
  const attemptKey = (attempt: string | null): string | null => (attempt === null ? null : archiveKey(row.id, attempt));
  if (row.archiveKey === key && !over) return "the row leads to it";
  if (row.operation !== "NONE" && (attemptKey(row.opId) === key || attemptKey(row.archiveOpId) === key)) {
    return "an operation is writing it";
  }
  if (awaitsPerson(row)) return "the workspace is in an error that a person has not looked at";
  if (record === null) return null;
  if (record.state === "version" && !over) return "an older version is kept";
  if (record.state === "trash" && !(row.deletedAt !== null && row.purge) && (record.keepUntil ?? now) > now) {
    return "it can still be taken out of the trash";
  }
  return null;
}

/** Whether a retired volume may be removed now; the caller has seen that no container references it. */
export function mayReap(name: string, row: Workspace | null, retiredAt: Ms | null, graceMs: number, now: Ms): boolean {
  if (retiredAt === null || now - retiredAt < graceMs) return false;
  if (row === null) return true;
  return row.homeVolume !== name && !awaitsPerson(row);
}
