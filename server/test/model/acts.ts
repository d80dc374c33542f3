import { endAttempt, isMine } from "./commit.ts";
import { endPreparing, isPrepared, isUsed, newPreparing } from "./jobs.ts";
import type { Scene } from "./moves.ts";
import { goTo, type Seat } from "./seat.ts";
import { FILLED_FROM_IMAGE, has, mint, put, without } from "./state.ts";
import { attemptFails } from "./verify.ts";

/** What drivers do to the engine and the store. Nothing here reads or writes the row: a zombie does it just the same. */

export function removeContainer(scene: Scene, seat: Seat): void {
  scene.can(
    "act.remove",
    () => `${seat.name} removes the workspace's container`,
    (t) => {
      t.container = null;
      goTo(t, seat, "commit");
    },
  );
}

export function runContainer(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { driver } = seat;
  const { container } = now;
  if (rules.alone && isPrepared(now, driver.volume)) {
    refused(scene, seat);
    return;
  }
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

export function createVolume(scene: Scene, seat: Seat): void {
  scene.can(
    "act.create",
    () => `${seat.name} creates empty volume ${seat.driver.volume}`,
    (t) => {
      if (!has(t.volumes, seat.driver.volume)) t.volumes = put(t.volumes, seat.driver.volume, 0);
      goTo(t, seat, "commit");
    },
  );
}

export function uploadEmptyArchive(scene: Scene, seat: Seat): void {
  scene.can(
    "act.upload",
    () => `${seat.name} uploads empty archive ${seat.driver.attempt}`,
    (t) => {
      if (!has(t.objects, seat.driver.attempt)) t.objects = put(t.objects, seat.driver.attempt, 0);
      goTo(t, seat, "verify");
    },
  );
}

export function launchJob(scene: Scene, seat: Seat): void {
  const { operation, attempt, volume, archive } = seat.driver;
  if (operation === "PREPARING") {
    launchPreparing(scene, seat);
    return;
  }
  const kind = operation === "ARCHIVING" ? "archive" : "restore";
  scene.can(
    "act.launch",
    () => `${seat.name} launches ${kind} job ${attempt}`,
    (t) => {
      t.jobs = [...t.jobs, { kind, attempt, volume, archive, read: null, projects: 0, late: false }];
      goTo(t, seat, "verify");
    },
  );
}

/** A look before it, and where it would run its place must be free: nothing else has the home or is about to. */
function launchPreparing(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { attempt, volume, version } = seat.driver;
  if (rules.alone && isUsed(now, volume)) {
    refused(scene, seat);
    return;
  }
  scene.can(
    "act.launch",
    () => `${seat.name} launches prepare job ${attempt}`,
    (t) => {
      t.jobs = [...t.jobs, newPreparing(attempt, volume, version)];
      goTo(t, seat, "verify");
    },
  );
}

/** Somebody else has the home: the attempt fails, which ends what prepares it; the next one finds it free. */
function refused(scene: Scene, seat: Seat): void {
  const { driver } = seat;
  scene.can(
    "act.refused",
    () => `${seat.name}'s ${driver.operation} ${driver.attempt} finds volume ${driver.volume} in use and fails`,
    (t) => {
      seat.set(t, null);
      if (!isMine(scene.rules, scene.now, driver)) return;
      if (scene.rules.endsPreparing) endPreparing(t);
      endAttempt(scene.rules, t, false);
    },
  );
}

/** Planted: in the closed protocol DELETING moves pointers only. */
export function dropVolume(scene: Scene, seat: Seat): void {
  const { volume } = seat.driver;
  const used = scene.now.container?.volume === volume;
  scene.can(
    "planted.delete-removes-volume",
    () => `${seat.name} ${used ? "cannot remove" : "removes"} volume ${volume} as part of DELETING`,
    (t) => {
      if (!used) t.volumes = without(t.volumes, volume);
      goTo(t, seat, "commit");
    },
  );
}
