import { type Budget, FIXED_NAME, type Id, isOver, type State } from "./state.ts";

/**
 * Every protection of the protocol as a switch. All on is the protocol we build; `--planted` turns some off and expects
 * the explorer to find out what they were for.
 */
export const CLOSED_PROTOCOL = {
  /** Claims, commits and failures test the leader's epoch and the attempt. */
  fence: true,
  /** The fence also tests the operation, and ERROR clears the attempt. */
  fenceOperation: true,
  /** A claim mints a new attempt instead of taking up archive_op_id again. */
  freshOnClaim: true,
  /** A job is never launched twice under one attempt: takeover and retry mint a new one first. */
  freshOnRelaunch: true,
  /** Volume names contain the attempt. */
  attemptNames: true,
  /** An interrupted ARCHIVING counts as committed only if archive_key is this attempt's key. */
  recoverByAttempt: true,
  /** A restored volume is compared with the archive's manifest; that it exists is not enough. */
  verifyVolume: true,
  /** The proof of a finished restore lives in the volume; restore_marker is cleared by every claim and proves nothing. */
  markerIsNoProof: true,
  /** The uploaded archive is read back before the volume loses its authority. */
  verifyArchive: true,
  /** A probe that fails leaves "unknown", from which nothing is planned. */
  threeValued: true,
  /** No home is made or restored while the row names a volume; none is made while it names an archive. */
  guardPointers: true,
  /** A timeout ends the driver and the job, confirms, and only then stores ERROR. */
  timeoutStops: true,
  /** A restore job exits without writing if the volume already carries an identity. */
  sealedVolume: true,
  /** An archive job exits without writing if this attempt's object is there. */
  headFirst: true,
  /** A missing volume is never created by mounting it. */
  noAutoCreate: true,
  /** Archiving needs zero containers on the volume, before the job and again before the commit. */
  zeroContainers: true,
  /** The completing observation waits until no job with this attempt's label is left. */
  waitForJobs: true,
  /** A job that prepares a home has it alone: whoever comes second, also by a late request, does not begin. */
  alone: true,
  /** Whoever takes an operation over or gives one up first ends what prepares the home. */
  endsPreparing: true,
  /** A preparation is committed only when no job of its attempt is left, also one that was given up. */
  preparedIsGone: true,
  /** What git could not do is committed: it is not tried again before somebody asks. */
  notesFailure: true,
  /** A note answers the request that its attempt was begun for, whatever was asked since. */
  notesItsRequest: true,
  /** What is known of the projects in a home goes with that home. */
  newHomeForgets: true,
  /** After a commit whose answer was lost the driver touches nothing; the row is read again by whoever leads. */
  doubtTouchesNothing: true,
  /** Proxy: the container's volume is the row's. */
  routeByVolume: true,
  /** Proxy: only while no operation runs. */
  routeWhenIdle: true,
  /** Proxy: only the container instance that STARTING recorded. */
  routeByInstance: true,
  /** Proxy: never on a deleted row; open connections are cut. */
  routeNotDeleted: true,
  /** Proxy: the row is tested again when a connection is made on an earlier decision. */
  connectRechecks: true,
  /** DISCARDING commits only if the reset is still wanted. */
  discardRechecks: true,
  /** GC spares discarded archives until their own retention ends. */
  trashProtected: true,
  /** Deleting a workspace in ERROR makes the last copy too. */
  lastCopyInError: true,
  /** DELETING drops a home only if the commit finds it purged or expired. */
  deleteRechecks: true,
  /** DELETING only clears pointers; the reaper removes volumes. */
  deleteRetires: true,
  /** Undelete is refused once purge is set. */
  undeleteNotPurged: true,
  /** Undelete is refused once expired_at is set. */
  undeleteNotExpired: true,
  /** Expiry is a stored fact, not a comparison with the clock at each use. */
  expiryOneWay: true,
  /** A second DELETE does not move deleted_at. */
  deleteOnce: true,
  /** PATCH, reset and wake are refused on a deleted row. */
  patchNotDeleted: true,
  /** At the end, DELETING clears archive_key before the object may go. */
  overClearsKey: true,
  /** A discarded archive is not given back once GC has recorded its deletion. */
  undoTestsRecord: true,
  /** At expiry with a volume left, DELETING drops it without a copy. */
  dropAtExpiry: true,
  /** A deleted row is reconciled until no operation is left. */
  deletedNeedsIdle: true,
  /** The TTL fires only where desired_state equals the phase, on rows that are not deleted: it only ever lowers. */
  ttlLowers: true,
  /** The TTL's UPDATE tests desired_version. */
  ttlCompareAndSet: true,
  /** Repeating a wish bumps desired_version too. */
  bumpRepeated: true,
  /** A wake never cancels a confirmed reset. */
  wakeSparesReset: true,
  /** GC lists the store first and reads rows afterwards. */
  gcListsFirst: true,
  /** GC tests protection again in the transaction that records the deletion. */
  gcRechecks: true,
  /** The archive of a deleted workspace is protected until purge or expiry. */
  gcProtectsDeleted: true,
  /** The object of a running or failed archiving attempt is protected. */
  gcProtectsAttempt: true,
  /** A purged or expired row protects nothing. */
  overProtectsNothing: true,
  /** The reaper spares the volume of the attempt in operation. */
  reaperSparesAttempt: true,
  /** The reaper spares retired volumes while the archive is not positively there. */
  reaperChecksArchive: true,
};
export type Rules = typeof CLOSED_PROTOCOL;

const WISHES = [
  "run",
  "standby",
  "archive",
  "reset",
  "repeat",
  "wake",
  "delete",
  "purge",
  "undelete",
  "undo-reset",
  "repository",
  "skip",
] as const;
export type RequestName = (typeof WISHES)[number];

/** How much may happen in one exploration. What is not bounded here may happen any number of times. */
export interface Bounds {
  readonly left: Record<Budget, number>;
  readonly wishes: readonly RequestName[];
  readonly gc: boolean;
  readonly reaper: boolean;
  /** The workspace was created with a repository. */
  readonly repository: boolean;
  /** A proxy may act on a routing decision that has grown old. */
  readonly slowProxy: boolean;
  /** No archive job ever succeeds (a full or read-only store). */
  readonly archivesFail: boolean;
  /** Git never gets a repository. */
  readonly gitFails: boolean;
  /** Judge a home only once the user has written to it; makes the traces of planted holes tell a story. */
  readonly onlyWithData: boolean;
}

export interface MixBounds extends Partial<Omit<Bounds, "left">> {
  readonly left?: Partial<Record<Budget, number>>;
}

const NOTHING: Record<Budget, number> = {
  wishes: 3,
  writes: 2,
  ttlRuns: 0,
  crashes: 0,
  freezes: 0,
  failures: 0,
  lateWrites: 0,
  reruns: 0,
  overlaps: 0,
  corruptions: 0,
  hangs: 0,
  lostAnswers: 0,
  diskLosses: 0,
  storeLosses: 0,
  asks: 0,
  skips: 0,
};

export function boundsOf(mix: MixBounds): Bounds {
  return {
    wishes: [],
    gc: true,
    reaper: true,
    repository: false,
    slowProxy: false,
    archivesFail: false,
    gitFails: false,
    onlyWithData: false,
    ...mix,
    left: { ...NOTHING, ...mix.left },
  };
}

export function volumeName(rules: Rules, attempt: Id): Id {
  return rules.attemptNames ? attempt : FIXED_NAME;
}

/** The proxy's test: may this container be shown to the user? */
export function isRoutable(rules: Rules, s: State): boolean {
  const { row, container } = s;
  if (container === null) return false;
  if (rules.routeByVolume && (row.volume === 0 || container.volume !== row.volume)) return false;
  if (rules.routeWhenIdle && row.operation !== "NONE") return false;
  if (rules.routeNotDeleted && row.deleted) return false;
  return !rules.routeByInstance || container.instance === row.endpoint;
}

/** GC's test: must this object stay? */
export function isProtected(rules: Rules, s: State, key: Id): boolean {
  const { row } = s;
  const free = rules.overProtectsNothing && isOver(row);
  if (row.archive === key && !free && (rules.gcProtectsDeleted || !row.deleted)) return true;
  const inWork = row.operation !== "NONE" && row.attempt === key;
  const keptByError = row.error && !free && row.archiveAttempt === key;
  if (rules.gcProtectsAttempt && (inWork || keptByError)) return true;
  const purged = row.deleted && row.purge;
  return rules.trashProtected && !purged && s.trash.some((x) => x.id === key && !x.over);
}
