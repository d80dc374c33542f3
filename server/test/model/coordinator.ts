import { canBeLate, endJobs, endPreparing } from "./jobs.ts";
import type { Scene } from "./moves.ts";
import { type Rules, volumeName } from "./rules.ts";
import { begin } from "./seat.ts";
import { type Desired, has, isDue, isOver, mint, type Operation, type State, without } from "./state.ts";

/** A leader with nothing in hand: it takes over what a predecessor left, removes orphans, or observes and plans. */
export function coordinatorMoves(scene: Scene): void {
  const { now, rules } = scene;
  const { row, container } = now;
  const orphan = container !== null && (container.volume !== row.volume || container.instance !== row.endpoint);
  const starting = row.operation === "STARTING";
  if (orphan && !starting && (row.operation === "NONE" || now.leader !== null)) removeOrphan(scene);
  if (now.leader !== null) return;
  // The hole is a phase that says DELETED while an operation is left: nobody looks at such a row again.
  if (!rules.deletedNeedsIdle && row.deleted && container === null && row.volume === 0) return;
  if (row.operation !== "NONE") takeOver(scene);
  else if (row.restart && container === null) answerRestart(scene);
  else if (!orphan) observeAndPlan(scene);
}

function answerRestart(scene: Scene): void {
  scene.can(
    "answer.restart",
    () => "the leader finds nothing to restart",
    (t) => {
      t.row.restart = false;
    },
  );
}

function removeOrphan(scene: Scene): void {
  const id = scene.now.container?.instance ?? 0;
  scene.can(
    "orphan.remove",
    () => `the leader removes container ${id}, which is not the recorded instance`,
    (t) => {
      t.container = null;
    },
  );
}

/** Operations that make something under the attempt's name: running one again needs a new name. */
const MAKES_A_COPY: readonly Operation[] = [
  "PROVISIONING",
  "RESTORING",
  "PREPARING",
  "ARCHIVING",
  "CREATE_EMPTY_ARCHIVE",
];

/** Under which attempt an interrupted operation goes on; the change is durable before anything is launched. */
export function continueAttempt(rules: Rules, t: State): void {
  const { row } = t;
  row.owned = true;
  if (!rules.freshOnRelaunch || !MAKES_A_COPY.includes(row.operation)) return;
  row.attempt = mint(t);
  if (row.operation === "ARCHIVING" || row.operation === "CREATE_EMPTY_ARCHIVE") row.archiveAttempt = row.attempt;
}

function takeOver(scene: Scene): void {
  const { now, rules } = scene;
  const { row } = now;
  if (plantedTakeOver(scene)) return;
  for (const late of canBeLate(now, row.attempt) ? [false, true] : [false]) {
    scene.can(
      late ? "fault.late-write" : "takeover",
      () =>
        `the new leader ends what is left of ${row.operation} ${row.attempt}${
          late ? " (a last write is still on its way)" : ""
        } and takes it over`,
      (t) => {
        endJobs(t, row.attempt, late);
        if (rules.endsPreparing) endPreparing(t);
        continueAttempt(rules, t);
        t.leader = begin(rules, t.row);
      },
    );
  }
}

/** The shortcuts that recovery must not take; each is one planted hole. */
function plantedTakeOver(scene: Scene): boolean {
  const { now, rules } = scene;
  const { row } = now;
  if (!rules.recoverByAttempt && row.operation === "ARCHIVING" && row.archive !== 0 && has(now.volumes, row.volume)) {
    scene.can(
      "planted.recover-by-key",
      () => `the new leader finds ARCHIVING with archive_key ${row.archive} set and removes volume ${row.volume}`,
      (t) => {
        t.volumes = without(t.volumes, row.volume);
        Object.assign(t.row, { volume: 0, operation: "NONE", attempt: 0, owned: true });
      },
    );
    return true;
  }
  const made = volumeName(rules, row.attempt);
  const intact = has(now.objects, row.archive);
  if (!rules.verifyVolume && row.operation === "RESTORING" && has(now.volumes, made) && intact) {
    scene.can(
      "planted.accept-existing-volume",
      () => `the new leader finds volume ${made} and a good archive, and takes RESTORING for done`,
      (t) => {
        endJobs(t, row.attempt, false);
        t.row.owned = true;
        t.leader = { ...begin(rules, t.row), stage: "commit" };
      },
    );
    return true;
  }
  return false;
}

type Tri = "yes" | "no" | "unknown";
export interface View {
  readonly container: Tri;
  readonly volume: Tri;
  readonly archive: Tri;
}

/** What a leader sees whose probes all answer. */
export function reality(s: State): View {
  const seen = (there: boolean): Tri => (there ? "yes" : "no");
  return {
    container: seen(s.container !== null),
    volume: seen(has(s.volumes, s.row.volume)),
    archive: seen(has(s.objects, s.row.archive)),
  };
}

function observeAndPlan(scene: Scene): void {
  const { now, rules } = scene;
  const view = reality(now);
  const planned = planFor(rules, now, view);
  if (planned !== null) {
    scene.can(
      "plan",
      () => `the leader plans ${planned}`,
      (t) => {
        t.leader = {
          operation: planned,
          stage: "claim",
          attempt: 0,
          volume: 0,
          archive: 0,
          instance: 0,
          version: 0,
          outcome: "none",
          current: true,
        };
      },
    );
  }
  if (now.left.hangs === 0) return;
  for (const part of ["container", "volume", "archive"] as const) {
    if (view[part] !== "yes") continue;
    const blind = planFor(rules, now, { ...view, [part]: rules.threeValued ? "unknown" : "no" });
    if (blind === planned) continue;
    scene.can(
      "fault.hung-observation",
      () => `the probe of the ${part} hangs; the leader plans ${blind ?? "nothing"}`,
      (t) => {
        t.left.hangs -= 1;
        if (blind !== null) {
          t.leader = {
            operation: blind,
            stage: "claim",
            attempt: 0,
            volume: 0,
            archive: 0,
            instance: 0,
            version: 0,
            outcome: "none",
            current: true,
          };
        }
      },
    );
  }
}

const KNOWN_BEFORE: Record<Operation, readonly (keyof View)[]> = {
  NONE: [],
  PROVISIONING: ["container", "volume"],
  RESTORING: ["container", "volume", "archive"],
  PREPARING: ["container", "volume"],
  STARTING: ["container", "volume"],
  STOPPING: ["container"],
  ARCHIVING: ["container", "volume"],
  CREATE_EMPTY_ARCHIVE: ["container", "volume"],
  DISCARDING: [],
  DELETING: ["container"],
};

export function planFor(rules: Rules, s: State, view: View): Operation | null {
  const { row } = s;
  // A volume that the row names and that is positively gone is DataLost: loud, and nothing is planned over it.
  if (rules.guardPointers && row.volume !== 0 && view.volume === "no") return null;
  const operation = row.deleted ? planDeletion(rules, s, view) : planLevels(s, view);
  if (operation === null) return null;
  return KNOWN_BEFORE[operation].every((part) => view[part] !== "unknown") ? operation : null;
}

function planDeletion(rules: Rules, s: State, view: View): Operation | null {
  const { row } = s;
  if (row.desired !== "DELETED") return null;
  if (view.container !== "no") return "STOPPING";
  const drop = rules.dropAtExpiry ? isOver(row) : row.purge || (isOver(row) && row.volume === 0);
  if (drop) return row.volume !== 0 || (rules.overClearsKey && row.archive !== 0) ? "DELETING" : null;
  if (row.volume === 0) return null;
  return row.error && !rules.lastCopyInError ? "DELETING" : "ARCHIVING";
}

type Phase = "PENDING" | "ARCHIVED" | "STANDBY" | "RUNNING";
const UP = { PENDING: "PROVISIONING", ARCHIVED: "RESTORING", STANDBY: "STARTING", RUNNING: null } as const;
const TO_STANDBY = { PENDING: "PROVISIONING", ARCHIVED: "RESTORING", STANDBY: null, RUNNING: "STOPPING" } as const;
const TO_ARCHIVED = {
  PENDING: "CREATE_EMPTY_ARCHIVE",
  ARCHIVED: null,
  STANDBY: "ARCHIVING",
  RUNNING: "STOPPING",
} as const;
const TO_PENDING = { PENDING: null, ARCHIVED: "DISCARDING", STANDBY: "ARCHIVING", RUNNING: "STOPPING" } as const;
const PLAN: Record<Desired, Record<Phase, Operation | null>> = {
  RUNNING: UP,
  STANDBY: TO_STANDBY,
  ARCHIVED: TO_ARCHIVED,
  PENDING: TO_PENDING,
  DELETED: { PENDING: null, ARCHIVED: null, STANDBY: null, RUNNING: null },
};

function planLevels(s: State, view: View): Operation | null {
  const { row } = s;
  if (row.error) return null;
  const authoritative = row.volume === 0 && row.archive !== 0;
  // The archive is the authority and positively not there: ArchiveAccessError.
  if (authoritative && view.archive === "no") return null;
  let phase: Phase = row.archive !== 0 ? "ARCHIVED" : "PENDING";
  if (view.volume !== "no") phase = view.container !== "no" ? "RUNNING" : "STANDBY";
  if (phase === "RUNNING" && row.restart) return "STOPPING";
  const operation = PLAN[row.desired][phase];
  return operation === "STARTING" && isDue(row) ? "PREPARING" : operation;
}
