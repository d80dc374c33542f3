import { createVolume, dropVolume, launchJob, removeContainer, runContainer, uploadEmptyArchive } from "./acts.ts";
import { applyCommit, isMine } from "./commit.ts";
import { hasVisibleJob } from "./jobs.ts";
import type { Scene } from "./moves.ts";
import { begin, newEpoch, type Seat } from "./seat.ts";
import { type Driver, isDue, mint, type Stage, type State, without } from "./state.ts";
import { attemptFails, verify } from "./verify.ts";

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

function claim(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { row } = now;
  const { operation } = seat.driver;
  const makesHome = operation === "PROVISIONING" || operation === "CREATE_EMPTY_ARCHIVE";
  const overHome =
    (makesHome && (row.volume !== 0 || row.archive !== 0)) || (operation === "RESTORING" && row.volume !== 0);
  // Plan and claim see the same row: what was asked for in between is planned for first.
  const outdated = operation === "STARTING" && isDue(row);
  const deposed = rules.fence && !seat.driver.current;
  if (deposed || outdated || row.operation !== "NONE" || (rules.guardPointers && overHome)) {
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

function commit(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { driver } = seat;
  const { operation } = driver;
  if (operation === "NONE") return;
  const mine = isMine(rules, now, driver);
  if (operation === "PREPARING" && mine && rules.preparedIsGone && hasVisibleJob(now, driver.attempt)) {
    attemptFails(scene, seat, "its job still runs");
    return;
  }
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
