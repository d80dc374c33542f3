import { endAttempt } from "./commit.ts";
import { continueAttempt } from "./coordinator.ts";
import { canBeLate, endJobs, endPreparing, isUsed, newPreparing } from "./jobs.ts";
import type { Scene } from "./moves.ts";
import { begin, newEpoch } from "./seat.ts";
import { contentOf, type Driver, has, without } from "./state.ts";

/** What goes wrong with leaders and disks. Faults of jobs, observations and answers stand where those are modelled. */
export function faultMoves(scene: Scene): void {
  const { leader } = scene.now;
  if (leader !== null) {
    loseLeader(scene, leader);
    if (leader.stage !== "claim" && scene.now.row.owned) {
      failAttempt(scene, leader);
      overlap(scene, leader);
      repeat(scene, leader);
    }
  }
  loseDisk(scene);
  loseObject(scene);
}

function loseLeader(scene: Scene, leader: Driver): void {
  const { now } = scene;
  const where = `${leader.operation} (${leader.stage})`;
  if (now.left.crashes > 0 && leader.stage !== "claim") {
    scene.can(
      "fault.crash",
      () => `the leader is killed in ${where}; a job it launched goes on; another leads`,
      (t) => {
        t.left.crashes -= 1;
        t.leader = null;
        newEpoch(t);
      },
    );
  }
  if (now.left.freezes > 0) {
    scene.can(
      "fault.freeze",
      () => `the leader freezes in ${where}; another leads`,
      (t) => {
        t.left.freezes -= 1;
        t.leader = null;
        t.zombies = [...t.zombies, leader];
        newEpoch(t);
      },
    );
  }
}

function failAttempt(scene: Scene, leader: Driver): void {
  const { now, rules } = scene;
  const { operation, attempt } = now.row;
  if (now.left.failures === 0) return;
  if (!rules.timeoutStops) {
    scene.can(
      "fault.timeout",
      () => `${operation} ${attempt} times out: ERROR at once; its driver and job go on`,
      (t) => {
        t.left.failures -= 1;
        t.leader = null;
        t.zombies = [...t.zombies, leader];
        endAttempt(rules, t, true);
      },
    );
    return;
  }
  for (const late of canBeLate(now, attempt) ? [false, true] : [false]) {
    for (const error of [true, false]) {
      const what = error ? "times out: ERROR" : "fails and will be tried again";
      const kind = error ? "fault.timeout" : "fault.failed-attempt";
      scene.can(
        late ? "fault.late-write" : kind,
        () =>
          `${operation} ${attempt}: driver and job are stopped, it ${what}${late ? "; a last write is still on its way" : ""}`,
        (t) => {
          t.left.failures -= 1;
          endJobs(t, attempt, late);
          if (rules.endsPreparing) endPreparing(t);
          t.leader = null;
          endAttempt(rules, t, error);
        },
      );
    }
  }
}

/** A retry begins although the first try still runs; only the new attempt's name keeps them apart. */
function overlap(scene: Scene, leader: Driver): void {
  const { now, rules } = scene;
  if (now.left.overlaps === 0) return;
  scene.can(
    "fault.overlap",
    () => `the next tick retries ${leader.operation} while the first try still runs`,
    (t) => {
      t.left.overlaps -= 1;
      t.zombies = [...t.zombies, leader];
      continueAttempt(rules, t);
      t.leader = begin(rules, t.row);
    },
  );
}

/** Somebody between the leader and the engine sends the launch once more, a moment or an hour later. */
function repeat(scene: Scene, { operation, stage, attempt, volume, version }: Driver): void {
  const { now, rules } = scene;
  const late = operation === "PREPARING" && (stage === "verify" || stage === "commit");
  if (now.left.reruns === 0 || !late || (rules.alone && isUsed(now, volume))) return;
  scene.can(
    "fault.rerun",
    () => `prepare job ${attempt} is launched once more by a repeated request`,
    (t) => {
      t.left.reruns -= 1;
      t.jobs = [...t.jobs, newPreparing(attempt, volume, version)];
    },
  );
}

function loseDisk(scene: Scene): void {
  const { row, container, objects, left, oracle } = scene.now;
  if (left.diskLosses === 0 || oracle.diskLost || row.operation !== "NONE" || row.volume === 0) return;
  const archived = contentOf(objects, row.archive);
  if (container !== null || archived === undefined || archived < 0) return;
  scene.can(
    "fault.disk-lost",
    () => `the disk dies and volume ${row.volume} with it`,
    (t) => {
      t.left.diskLosses -= 1;
      t.volumes = without(t.volumes, row.volume);
      t.oracle.diskLost = true;
    },
  );
}

/** The store loses the archive while the retired volume still waits for the reaper: the grace must be worth something. */
function loseObject(scene: Scene): void {
  const { row, objects, volumes, left, oracle, reaping } = scene.now;
  const relied = row.operation === "NONE" && row.volume === 0 && has(objects, row.archive);
  const copyLeft = volumes.some((v) => v.content === oracle.newest && v.id !== reaping);
  if (left.storeLosses === 0 || oracle.diskLost || !relied || !copyLeft) return;
  scene.can(
    "fault.store-lost",
    () => `the store loses object ${row.archive}`,
    (t) => {
      t.left.storeLosses -= 1;
      t.objects = without(t.objects, row.archive);
      t.oracle.storeLost = true;
    },
  );
}
