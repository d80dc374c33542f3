import type { Rules } from "./rules.ts";
import { contentOf, type Driver, isOver, type Operation, type Row, type State } from "./state.ts";

/** The fence: may this driver's UPDATE touch the row? */
export function isMine(rules: Rules, s: State, driver: Driver): boolean {
  const { row } = s;
  if (!rules.fence) return row.operation === driver.operation;
  if (!driver.current || !row.owned || row.attempt === 0 || row.attempt !== driver.attempt) return false;
  return row.operation === driver.operation || (!rules.fenceOperation && row.operation === "NONE");
}

/** The operation is over. The attempt leaves the row with it, unless the hole is that ERROR keeps it. */
export function endAttempt(rules: Rules, t: State, error: boolean): void {
  const { row } = t;
  row.operation = "NONE";
  row.owned = true;
  row.error = row.error || error;
  if (rules.fenceOperation || !error) row.attempt = 0;
  if (!row.error) forgetArchiveAttempt(rules, t);
}

/** Only ERROR keeps archive_op_id; that it is kept beyond, to be used again, is a planted hole. */
export function forgetArchiveAttempt(rules: Rules, t: State): void {
  if (rules.freshOnClaim) t.row.archiveAttempt = 0;
}

const HOME_MAKERS: readonly Operation[] = ["PROVISIONING", "RESTORING", "ARCHIVING", "CREATE_EMPTY_ARCHIVE"];

/** One UPDATE: pointers move, the operation ends, errors are cleared. It sees the database and nothing else. */
export function applyCommit(rules: Rules, t: State, driver: Driver): void {
  const { row } = t;
  const lost = t.oracle.diskLost && row.volume !== 0;
  switch (driver.operation) {
    case "PROVISIONING":
      row.volume = driver.volume;
      forgetSetup(rules, row);
      break;
    case "RESTORING":
      row.volume = driver.volume;
      row.marker = row.archive;
      break;
    case "PREPARING":
      if (driver.outcome === "failed" && !rules.notesFailure) break;
      row.noted = rules.notesItsRequest ? driver.version : row.wanted;
      row.ready = driver.outcome === "got";
      break;
    case "STARTING":
      row.endpoint = driver.instance;
      break;
    case "ARCHIVING":
      row.archive = driver.attempt;
      row.volume = 0;
      row.endpoint = 0;
      break;
    case "CREATE_EMPTY_ARCHIVE":
      row.archive = driver.attempt;
      forgetSetup(rules, row);
      break;
    case "DISCARDING":
      discard(rules, t);
      break;
    case "DELETING":
      if (rules.deleteRechecks && !isOver(row)) break;
      row.volume = 0;
      row.endpoint = 0;
      if (rules.overClearsKey && isOver(row)) row.archive = 0;
      break;
    case "STOPPING":
      row.endpoint = 0;
      row.restart = false;
      break;
    case "NONE":
      break;
  }
  if (lost && HOME_MAKERS.includes(driver.operation)) {
    t.oracle.broken = `I18: ${driver.operation} replaced a lost home in silence`;
  }
  row.error = false;
  endAttempt(rules, t, false);
}

/** Another home than before: nothing is known of the projects in it. */
export function forgetSetup(rules: Rules, row: Row): void {
  if (rules.newHomeForgets) Object.assign(row, { noted: 0, ready: false });
}

function discard(rules: Rules, t: State): void {
  const { row, oracle } = t;
  const wanted = row.desired === "PENDING" && !row.deleted;
  if (rules.discardRechecks && !wanted) return;
  const held = contentOf(t.objects, row.archive);
  const promised = wanted && held === oracle.newest && oracle.newest > 0;
  t.trash = [...t.trash, { id: row.archive, over: false, holds: promised ? oracle.newest : 0 }];
  // A reset that is still wanted makes the empty home the right one.
  if (wanted) oracle.newest = 0;
  row.archive = 0;
}
