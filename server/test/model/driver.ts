import { applyCommit, endAttempt, isMine } from "./commit.ts";
import { hasVisibleJob } from "./jobs.ts";
import type { Scene } from "./moves.ts";
import { type Rules, volumeName } from "./rules.ts";
import {
  CORRUPT,
  contentOf,
  type Driver,
  FILLED_FROM_IMAGE,
  has,
  mint,
  type Operation,
  PARTIAL,
  put,
  type Row,
  type Stage,
  type State,
  without,
} from "./state.ts";

const FIRST_STAGE: Record<Operation, Stage> = {
  NONE: "commit",
  PROVISIONING: "create",
  RESTORING: "launch",
  STARTING: "run",
  STOPPING: "remove",
  ARCHIVING: "launch",
  CREATE_EMPTY_ARCHIVE: "upload",
  DISCARDING: "commit",
  DELETING: "drop",
};

/** A driver for the operation in the row. It keeps only what it will use, so that equal futures are equal states. */
export function begin(rules: Rules, row: Row): Driver {
  const { operation, attempt } = row;
  const target = operation === "RESTORING" || operation === "PROVISIONING" ? volumeName(rules, attempt) : row.volume;
  const needsVolume = operation !== "STOPPING" && operation !== "DISCARDING" && operation !== "CREATE_EMPTY_ARCHIVE";
  return {
    operation,
    stage: FIRST_STAGE[operation],
    attempt,
    volume: needsVolume ? target : 0,
    archive: operation === "RESTORING" ? row.archive : 0,
    instance: 0,
    current: true,
  };
}

/** Whose step it is: the leader's own driver, or a zombie that goes on although its leader was superseded. */
export interface Seat {
  readonly driver: Driver;
  readonly name: string;
  readonly leads: boolean;
  readonly set: (t: State, driver: Driver | null) => void;
}

export function driverMoves(scene: Scene): void {
  const { leader, zombies } = scene.now;
  if (leader !== null) {
    const set = (t: State, d: Driver | null): void => {
      t.leader = d;
    };
    drive(scene, { driver: leader, name: "the leader", leads: true, set });
  }
  zombies.forEach((driver, index) => {
    const set = (t: State, d: Driver | null): void => {
      t.zombies = d === null ? t.zombies.filter((_, i) => i !== index) : t.zombies.map((z, i) => (i === index ? d : z));
    };
    drive(scene, { driver, name: "the ZOMBIE", leads: false, set });
  });
}

function drive(scene: Scene, seat: Seat): void {
  const stages: Record<Stage, (scene: Scene, seat: Seat) => void> = {
    claim,
    remove: removeContainer,
    run: runContainer,
    create: createVolume,
    upload: uploadEmptyArchive,
    launch: launchJob,
    verify,
    drop: dropVolume,
    commit,
    doubt: cleanUpInDoubt,
  };
  stages[seat.driver.stage](scene, seat);
}

const goTo = (t: State, seat: Seat, stage: Stage, more: Partial<Driver> = {}): void =>
  seat.set(t, { ...seat.driver, ...more, stage });

function claim(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { row } = now;
  const { operation } = seat.driver;
  const makesHome = operation === "PROVISIONING" || operation === "CREATE_EMPTY_ARCHIVE";
  const overHome =
    (makesHome && (row.volume !== 0 || row.archive !== 0)) || (operation === "RESTORING" && row.volume !== 0);
  const deposed = rules.fence && !seat.driver.current;
  if (deposed || row.operation !== "NONE" || (rules.guardPointers && overHome)) {
    scene.can(
      "claim.refused",
      () => `${seat.name}'s claim of ${operation} is refused`,
      (t) => seat.set(t, null),
    );
    return;
  }
  const archives = operation === "ARCHIVING" || operation === "CREATE_EMPTY_ARCHIVE";
  const reuse = archives && !rules.freshOnClaim ? row.archiveAttempt : 0;
  const take = (t: State): void => {
    t.row.operation = operation;
    t.row.attempt = reuse === 0 ? mint(t) : reuse;
    t.row.owned = true;
    if (archives) t.row.archiveAttempt = t.row.attempt;
    if (rules.markerIsNoProof) t.row.marker = 0;
    if (["STARTING", "STOPPING", "DELETING"].includes(operation)) t.row.endpoint = 0;
  };
  scene.can(
    "claim",
    () => `${seat.name} claims ${operation} as attempt ${reuse === 0 ? now.nextId : reuse}`,
    (t) => {
      take(t);
      seat.set(t, { ...begin(rules, t.row), current: seat.driver.current });
    },
  );
  if (now.left.lostAnswers > 0 && seat.leads) {
    scene.can(
      "fault.answer-lost",
      () => `${seat.name} claims ${operation} and never sees the answer: it steps down`,
      (t) => {
        t.left.lostAnswers -= 1;
        take(t);
        t.leader = null;
        newEpoch(t);
      },
    );
  }
}

/** Another leader reigns: what runs is not its own yet, and whoever drove before is deposed. */
export function newEpoch(t: State): void {
  t.row.owned = t.row.operation === "NONE";
  t.zombies = t.zombies.map((z) => ({ ...z, current: false }));
}

function removeContainer(scene: Scene, seat: Seat): void {
  scene.can(
    "act.remove",
    () => `${seat.name} removes the workspace's container`,
    (t) => {
      t.container = null;
      goTo(t, seat, "commit");
    },
  );
}

function runContainer(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { driver } = seat;
  const { container } = now;
  if (container !== null) {
    if (container.volume === driver.volume && container.attempt === driver.attempt) {
      scene.can(
        "act.adopt",
        () => `${seat.name} adopts container ${container.instance}, made by the same attempt`,
        (t) => goTo(t, seat, "commit", { instance: container.instance }),
      );
    } else {
      scene.can(
        "orphan.remove",
        () => `${seat.name} removes leftover container ${container.instance}`,
        (t) => {
          t.container = null;
        },
      );
    }
    return;
  }
  if (!has(now.volumes, driver.volume) && rules.noAutoCreate) {
    attemptFails(scene, seat, "its volume is missing");
    return;
  }
  scene.can(
    "act.run",
    () => `${seat.name} starts container ${now.nextId} on volume ${driver.volume}`,
    (t) => {
      if (!has(t.volumes, driver.volume)) t.volumes = put(t.volumes, driver.volume, FILLED_FROM_IMAGE);
      const instance = mint(t);
      t.container = { instance, volume: driver.volume, attempt: driver.attempt, connected: false };
      goTo(t, seat, "commit", { instance });
    },
  );
}

function createVolume(scene: Scene, seat: Seat): void {
  scene.can(
    "act.create",
    () => `${seat.name} creates empty volume ${seat.driver.volume}`,
    (t) => {
      if (!has(t.volumes, seat.driver.volume)) t.volumes = put(t.volumes, seat.driver.volume, 0);
      goTo(t, seat, "commit");
    },
  );
}

function uploadEmptyArchive(scene: Scene, seat: Seat): void {
  scene.can(
    "act.upload",
    () => `${seat.name} uploads empty archive ${seat.driver.attempt}`,
    (t) => {
      if (!has(t.objects, seat.driver.attempt)) t.objects = put(t.objects, seat.driver.attempt, 0);
      goTo(t, seat, "verify");
    },
  );
}

function launchJob(scene: Scene, seat: Seat): void {
  const { operation, attempt, volume, archive } = seat.driver;
  const kind = operation === "ARCHIVING" ? "archive" : "restore";
  scene.can(
    "act.launch",
    () => `${seat.name} launches ${kind} job ${attempt}`,
    (t) => {
      t.jobs = [...t.jobs, { kind, attempt, volume, archive, read: null, late: false }];
      goTo(t, seat, "verify");
    },
  );
}

/** The completing observation: it begins when no job of the attempt is left, and looks at what was made. */
function verify(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { driver } = seat;
  const done = completion(scene, driver);
  const jobLeft = hasVisibleJob(now, driver.attempt);
  const markerSays = !rules.markerIsNoProof && driver.archive !== 0 && now.row.marker === driver.archive;
  const early = !rules.waitForJobs || markerSays;
  if (jobLeft && !(early && done)) return;
  if (done) {
    scene.can(
      "verify.good",
      () => `${seat.name} observes that ${driver.operation} ${driver.attempt} is complete`,
      (t) => goTo(t, seat, "commit"),
    );
  } else attemptFails(scene, seat, "verification fails");
  if (now.left.reruns > 0 && driver.operation !== "CREATE_EMPTY_ARCHIVE") {
    scene.can(
      "fault.rerun",
      () => `${seat.name} cannot see how job ${driver.attempt} ended and runs it again inside the attempt`,
      (t) => {
        t.left.reruns -= 1;
        goTo(t, seat, "launch");
      },
    );
  }
}

function completion(scene: Scene, driver: Driver): boolean {
  const { now, rules } = scene;
  if (driver.operation === "RESTORING") {
    const made = contentOf(now.volumes, driver.volume);
    if (made === undefined) return false;
    if (!rules.markerIsNoProof && now.row.marker === driver.archive) return true;
    const original = contentOf(now.objects, driver.archive);
    return made !== PARTIAL && (original === undefined || made === original);
  }
  const made = contentOf(now.objects, driver.attempt);
  if (made === undefined || (rules.verifyArchive && made === CORRUPT)) return false;
  const mounted = driver.operation === "ARCHIVING" && now.container?.volume === driver.volume;
  return !(rules.zeroContainers && mounted);
}

/** The attempt is over without effect: the next one has another name, or a person is called after the third. */
function attemptFails(scene: Scene, seat: Seat, why: string): void {
  const { rules } = scene;
  if (!isMine(rules, scene.now, seat.driver)) {
    scene.can(
      "verify.bad",
      () => `${seat.name} gives up: ${why}`,
      (t) => seat.set(t, null),
    );
    return;
  }
  for (const error of [false, true]) {
    scene.can(
      "verify.bad",
      () => `${seat.name}'s attempt fails: ${why}${error ? "; ERROR(RetryExceeded)" : ""}`,
      (t) => {
        seat.set(t, null);
        endAttempt(rules, t, error);
      },
    );
  }
}

function dropVolume(scene: Scene, seat: Seat): void {
  const { volume } = seat.driver;
  if (scene.rules.deleteRetires || volume === 0 || scene.now.container?.volume === volume) {
    commit(scene, seat);
    return;
  }
  scene.can(
    "planted.delete-removes-volume",
    () => `${seat.name} removes volume ${volume} as part of DELETING`,
    (t) => {
      t.volumes = without(t.volumes, volume);
      goTo(t, seat, "commit");
    },
  );
}

function commit(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { driver } = seat;
  const { operation } = driver;
  if (operation === "NONE") return;
  const mine = isMine(rules, now, driver);
  scene.can(
    mine ? `commit.${operation}` : "commit.refused",
    () => `${seat.name} commits ${operation}${mine ? "" : ": refused"}`,
    (t) => {
      seat.set(t, null);
      if (mine) applyCommit(rules, t, driver);
    },
  );
  if (now.left.lostAnswers > 0 && seat.leads && mine) {
    scene.can(
      "fault.answer-lost",
      () => `${seat.name} commits ${operation} and never sees the answer: it steps down`,
      (t) => {
        t.left.lostAnswers -= 1;
        t.leader = null;
        applyCommit(rules, t, driver);
        newEpoch(t);
        if (!rules.doubtTouchesNothing) t.zombies = [...t.zombies, { ...driver, stage: "doubt", current: false }];
      },
    );
  }
}

/** Planted: a driver that takes "no answer" for "refused" tidies up what its attempt has made. */
function cleanUpInDoubt(scene: Scene, seat: Seat): void {
  const { attempt } = seat.driver;
  scene.can(
    "planted.clean-up-in-doubt",
    () => `${seat.name} takes the commit for refused and removes volume and object ${attempt}`,
    (t) => {
      t.objects = without(t.objects, attempt);
      if (t.container?.volume !== attempt) t.volumes = without(t.volumes, attempt);
      seat.set(t, null);
    },
  );
}
