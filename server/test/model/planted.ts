import type { MixBounds, Rules } from "./rules.ts";

/** A protection left out, and a situation in which that must show. */
export interface Hole {
  readonly id: string;
  readonly title: string;
  readonly off: readonly (keyof Rules)[];
  readonly bounds: MixBounds;
  readonly liveness: boolean;
}

interface Situation extends MixBounds {
  readonly liveness?: boolean;
}

function hole(id: string, title: string, off: readonly (keyof Rules)[], situation: Situation): Hole {
  const { liveness = false, ...bounds } = situation;
  return { id, title, off, liveness, bounds: { onlyWithData: true, ...bounds } };
}

const CYCLE = ["run", "archive"] as const;
const UNDO = ["delete", "undelete"] as const;

/** Holes in the data path: archive, restore, recover, collect. */
const DATA_PATH: readonly Hole[] = [
  hole("H1", "recovery takes any archive_key for this attempt's and removes the volume", ["recoverByAttempt"], {
    wishes: CYCLE,
    left: { wishes: 4, crashes: 1 },
  }),
  hole("H2", "recovery takes an existing volume for a finished restore", ["verifyVolume"], {
    wishes: CYCLE,
    left: { wishes: 4, crashes: 1 },
  }),
  hole("H3", "a restore_marker of an earlier restore proves a later one", ["markerIsNoProof"], {
    wishes: CYCLE,
    left: { wishes: 4, diskLosses: 1 },
  }),
  hole("H4", "archive_op_id outlives its attempt and is used again: the upload is skipped", ["freshOnClaim"], {
    wishes: CYCLE,
    gc: false,
    left: { wishes: 4, failures: 1 },
  }),
  hole("H5", "a deposed leader's writes are not fenced", ["fence"], {
    wishes: CYCLE,
    left: { wishes: 4, freezes: 1 },
  }),
  hole("H5n", "writes are fenced but every volume has the same name", ["attemptNames"], {
    wishes: CYCLE,
    gc: false,
    reaper: false,
    left: { wishes: 4, freezes: 1 },
  }),
  hole("H6", "a retry overlaps the first try under the same attempt", ["freshOnRelaunch", "sealedVolume"], {
    wishes: CYCLE,
    left: { wishes: 4, overlaps: 1 },
  }),
  hole(
    "H7",
    "a timeout stores ERROR while the job goes on, and volumes share a name",
    ["timeoutStops", "attemptNames"],
    {
      wishes: CYCLE,
      gc: false,
      reaper: false,
      left: { wishes: 4, failures: 1 },
    },
  ),
  hole("H8", "a hung probe reads as absent, and pointers do not guard the home", ["threeValued", "guardPointers"], {
    wishes: CYCLE,
    left: { hangs: 1 },
  }),
  hole(
    "H8c",
    "a hung probe reads as no container, and archiving does not look again",
    ["threeValued", "zeroContainers"],
    {
      wishes: CYCLE,
      left: { hangs: 1 },
    },
  ),
  hole("H10", "GC reads the rows before it lists the store", ["gcListsFirst"], { wishes: CYCLE }),
  hole("H11", "the archive is not read back before the volume retires", ["verifyArchive"], {
    wishes: CYCLE,
    left: { corruptions: 1 },
  }),
];

/** Holes in getting a repository into a home, which is written to where people will work. */
const PREPARING: readonly Hole[] = [
  hole(
    "P1",
    "takeover leaves the old job of PREPARING at work, and whoever comes second begins",
    ["endsPreparing", "alone"],
    {
      repository: true,
      left: { crashes: 1 },
    },
  ),
  hole(
    "P2",
    "what nobody waits for is committed while its job writes, and the IDE starts beside it",
    ["preparedIsGone", "alone"],
    {
      wishes: ["skip"],
      repository: true,
      left: { skips: 1 },
    },
  ),
  hole("P2c", "a request that is repeated launches a second job of PREPARING beside the first", ["alone"], {
    repository: true,
    left: { reruns: 1 },
  }),
  hole("P3", "a deposed leader launches a job of PREPARING on a home that is in use", ["alone"], {
    repository: true,
    left: { freezes: 1 },
  }),
  hole("P4", "what git could not do is tried again for ever", ["notesFailure"], {
    wishes: ["repository"],
    gitFails: true,
    liveness: true,
    left: { asks: 1 },
  }),
  hole("P5", "a home is archived while a job of PREPARING writes", ["preparedIsGone", "alone"], {
    wishes: ["delete"],
    repository: true,
  }),
  hole("P6", "the note of an older request answers the newer one", ["notesItsRequest"], {
    wishes: ["repository"],
    repository: true,
    onlyWithData: false,
    left: { asks: 1 },
  }),
  hole("P7", "what was prepared is still believed of the empty home after a reset", ["newHomeForgets"], {
    wishes: ["reset", "run"],
    repository: true,
    onlyWithData: false,
  }),
];

/** Gaps around delete, undo, purge, reset, takeover, routing and TTL. */
const LIFECYCLE: readonly Hole[] = [
  hole(
    "G1",
    "deleting a workspace in ERROR makes no last copy, and DELETING does not look again",
    ["lastCopyInError", "deleteRechecks"],
    {
      wishes: UNDO,
      left: { failures: 1 },
    },
  ),
  hole("G2", "DISCARDING commits although the reset was withdrawn", ["discardRechecks"], { wishes: ["reset", "run"] }),
  hole("G2d", "DISCARDING commits although the workspace was deleted meanwhile", ["discardRechecks"], {
    wishes: ["reset", "delete"],
  }),
  hole("G3", "GC does not know the trash", ["trashProtected"], { wishes: ["reset"] }),
  hole("G3k", "a deleted row protects its archive for ever", ["overClearsKey", "overProtectsNothing"], {
    wishes: ["delete"],
    liveness: true,
  }),
  hole("G4", "undelete is accepted after expiry", ["undeleteNotExpired"], { wishes: UNDO }),
  hole("G4c", "expiry is compared with the clock each time", ["expiryOneWay"], { wishes: UNDO }),
  hole("G4d", "a second DELETE moves deleted_at", ["deleteOnce"], { wishes: UNDO }),
  hole("G4p", "undelete is accepted after purge", ["undeleteNotPurged"], { wishes: ["purge", "undelete"] }),
  hole("G4w", "a wish is accepted on a deleted row", ["patchNotDeleted"], {
    wishes: ["delete", "run"],
    liveness: true,
  }),
  hole("G5", "the TTL looks at the phase only", ["ttlLowers"], { wishes: ["run"], left: { ttlRuns: 1 } }),
  hole("G5r", "repeating a wish does not bump desired_version", ["bumpRepeated"], {
    wishes: ["repeat"],
    left: { ttlRuns: 1 },
  }),
  hole("G5v", "the TTL writes without testing desired_version", ["ttlCompareAndSet"], {
    wishes: ["delete"],
    left: { ttlRuns: 1 },
  }),
  hole("G6", "the proxy routes by labels, during any operation", ["routeByInstance", "routeWhenIdle"], {
    wishes: CYCLE,
    left: { freezes: 1 },
  }),
  hole("G6s", "the proxy connects by name on an old decision", ["routeByInstance"], {
    wishes: CYCLE,
    slowProxy: true,
    left: { freezes: 1 },
  }),
  hole("G7", "takeover launches again under the same attempt", ["freshOnRelaunch", "sealedVolume"], {
    wishes: CYCLE,
    left: { freezes: 1 },
  }),
  hole("G7j", "a commit does not wait for the attempt's second job", ["freshOnRelaunch", "waitForJobs"], {
    wishes: CYCLE,
    left: { freezes: 1 },
  }),
  hole(
    "G8",
    "a timeout leaves its driver alive, and the fence does not test the operation",
    ["timeoutStops", "fenceOperation"],
    {
      wishes: CYCLE,
      left: { failures: 1 },
    },
  ),
  hole("G9", "DELETED is reported while an operation is left, and nobody looks again", ["deletedNeedsIdle"], {
    wishes: ["archive", "run", "delete"],
    left: { crashes: 1, writes: 1 },
    liveness: true,
  }),
  hole("G10", "the last copy never succeeds, and nothing is planned at expiry", ["dropAtExpiry"], {
    wishes: ["delete"],
    archivesFail: true,
    liveness: true,
  }),
  hole("G10e", "the attempt of a purged row in ERROR is protected for ever", ["overProtectsNothing"], {
    wishes: ["archive", "purge"],
    left: { failures: 1, writes: 1 },
    liveness: true,
  }),
  hole("G11", "a reloading tab cancels a confirmed reset", ["wakeSparesReset"], { wishes: ["reset", "wake"] }),
];

/** Protections that no hole above needs, each left out where it bears the load. */
const ABLATIONS: readonly Hole[] = [
  hole("A1", "mounting a missing volume creates it", ["noAutoCreate"], { wishes: CYCLE, left: { diskLosses: 1 } }),
  hole("A2", "a lost home is restored over in silence", ["guardPointers"], {
    wishes: CYCLE,
    left: { wishes: 4, diskLosses: 1 },
  }),
  hole("A3", "the reaper does not look at the archive first", ["reaperChecksArchive"], {
    wishes: CYCLE,
    left: { storeLosses: 1 },
  }),
  hole("A4", "the reaper does not spare the attempt in operation", ["reaperSparesAttempt"], { wishes: CYCLE }),
  hole("A5", "GC does not spare the attempt in operation", ["gcProtectsAttempt"], { wishes: CYCLE }),
  hole("A6", "GC does not spare the archive of a deleted workspace", ["gcProtectsDeleted"], { wishes: UNDO }),
  hole("A7", "GC does not look again before it deletes", ["gcRechecks"], { wishes: ["run", "reset", "undo-reset"] }),
  hole("A8", "an archive is given back after GC recorded its deletion", ["undoTestsRecord"], {
    wishes: ["run", "reset", "undo-reset"],
  }),
  hole("A9", "a commit without an answer is taken for refused and tidied up", ["doubtTouchesNothing"], {
    wishes: CYCLE,
    left: { lostAnswers: 1 },
  }),
  hole("A10", "the proxy routes to deleted workspaces", ["routeNotDeleted"], { wishes: ["delete"] }),
  hole("A11", "the proxy does not test the row again when it connects", ["connectRechecks"], {
    wishes: ["delete"],
    slowProxy: true,
  }),
  hole("A12", "the proxy looks neither at the volume nor at the instance", ["routeByVolume", "routeByInstance"], {
    wishes: CYCLE,
    left: { freezes: 1 },
  }),
  hole("A13", "archiving ignores containers, and the proxy ignores instances", ["zeroContainers", "routeByInstance"], {
    wishes: CYCLE,
    left: { freezes: 1 },
  }),
  hole("A14", "a second upload overwrites a verified object before the commit", ["headFirst", "waitForJobs"], {
    wishes: CYCLE,
    left: { reruns: 1, corruptions: 1 },
  }),
  hole("A15", "DELETING removes the volume itself, also in ERROR", ["deleteRetires", "lastCopyInError"], {
    wishes: ["delete"],
    left: { failures: 1 },
  }),
];

export const HOLES: readonly Hole[] = [...DATA_PATH, ...PREPARING, ...LIFECYCLE, ...ABLATIONS];
