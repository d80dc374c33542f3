import type { Scene } from "./moves.ts";
import {
  CORRUPT,
  type Content,
  contentOf,
  type Driver,
  FILLED_FROM_IMAGE,
  has,
  type Id,
  type Job,
  type Outcome,
  PARTIAL,
  projectsOf,
  put,
  type State,
} from "./state.ts";

/** Jobs. They know nothing of the row: they read, and some time later what they made is there. */
export function jobMoves(scene: Scene): void {
  scene.now.jobs.forEach((job, index) => {
    if (job.kind === "archive") archiveJob(scene, job, index);
    else if (job.kind === "restore") restoreJob(scene, job, index);
    else prepareJob(scene, job, index);
  });
}

function ended(t: State, index: number): void {
  t.jobs = t.jobs.filter((_, i) => i !== index);
}

function began(t: State, index: number, read: Content, projects: number): void {
  t.jobs = t.jobs.map((j, i) => (i === index ? { ...j, read, projects } : j));
}

function archiveJob(scene: Scene, job: Job, index: number): void {
  const { now, rules, bounds } = scene;
  const { read } = job;
  const mounted = now.container?.volume === job.volume;
  const source = contentOf(now.volumes, job.volume);
  let why: string | null = null;
  if (rules.headFirst && has(now.objects, job.attempt)) why = "its object is there already";
  else if (read === null && source === undefined && rules.noAutoCreate) why = `volume ${job.volume} is missing`;
  else if (read === null && rules.alone && isPrepared(now, job.volume)) why = `volume ${job.volume} is being prepared`;
  else if (read === null && mounted && rules.zeroContainers) why = `a container has volume ${job.volume}`;
  else if (read !== null && bounds.archivesFail) why = "the store refuses the upload";
  if (why !== null) {
    scene.can(
      "job.exit",
      () => `archive job ${job.attempt} exits: ${why}`,
      (t) => ended(t, index),
    );
  } else if (read === null) {
    scene.can(
      "job.start",
      () => `archive job ${job.attempt} reads volume ${job.volume}`,
      (t) => {
        if (source === undefined) t.volumes = put(t.volumes, job.volume, FILLED_FROM_IMAGE);
        began(t, index, source ?? FILLED_FROM_IMAGE, projectsOf(now.volumes, job.volume));
      },
    );
  } else endArchiveJob(scene, job, index, read);
}

function endArchiveJob(scene: Scene, job: Job, index: number, read: Content): void {
  scene.can(
    "job.end",
    () => `archive job ${job.attempt} ends: object ${job.attempt} is stored`,
    (t) => {
      t.objects = put(t.objects, job.attempt, read, job.projects);
      ended(t, index);
    },
  );
  if (scene.now.left.corruptions === 0) return;
  scene.can(
    "fault.corrupt-upload",
    () => `archive job ${job.attempt} ends: the store keeps a truncated object and says all is well`,
    (t) => {
      t.left.corruptions -= 1;
      t.objects = put(t.objects, job.attempt, CORRUPT);
      ended(t, index);
    },
  );
}

function restoreJob(scene: Scene, job: Job, index: number): void {
  const { now, rules } = scene;
  const target = contentOf(now.volumes, job.volume);
  if (job.read === null) {
    const source = contentOf(now.objects, job.archive);
    const sealed = rules.sealedVolume && target !== undefined && target !== PARTIAL;
    if (source === undefined || sealed) {
      const why = sealed ? `volume ${job.volume} carries an identity` : `archive ${job.archive} is missing`;
      scene.can(
        "job.exit",
        () => `restore job ${job.attempt} exits: ${why}`,
        (t) => ended(t, index),
      );
      return;
    }
    scene.can(
      "job.start",
      () => `restore job ${job.attempt} begins to extract archive ${job.archive} into volume ${job.volume}`,
      (t) => {
        t.volumes = put(t.volumes, job.volume, PARTIAL);
        began(t, index, source, projectsOf(now.objects, job.archive));
      },
    );
    return;
  }
  const { read } = job;
  scene.can(
    "job.end",
    () => `restore job ${job.attempt} ends: volume ${job.volume} is complete`,
    (t) => {
      // A damaged archive fails its checksum half-way, and a volume removed meanwhile does not come back.
      if (target !== undefined && read !== CORRUPT) t.volumes = put(t.volumes, job.volume, read, job.projects);
      ended(t, index);
    },
  );
}

/** It writes beside what is there and gives the project its name last: what is ended halfway leaves nothing that counts. */
function prepareJob(scene: Scene, job: Job, index: number): void {
  const { volumes } = scene.now;
  const home = volumes.find((x) => x.id === job.volume);
  if (home === undefined) {
    scene.can(
      "job.exit",
      () => `prepare job ${job.attempt} exits: volume ${job.volume} is missing`,
      (t) => ended(t, index),
    );
    return;
  }
  if (job.read === null) {
    scene.can(
      "job.start",
      () => `prepare job ${job.attempt} begins to write to volume ${job.volume}`,
      (t) => began(t, index, 0, job.projects),
    );
    return;
  }
  if (!scene.bounds.gitFails)
    scene.can(
      "job.end",
      () => `prepare job ${job.attempt} ends: volume ${job.volume} has the project of request ${job.projects}`,
      (t) => {
        t.volumes = put(t.volumes, job.volume, home.content, home.projects | (1 << job.projects));
        told(t, job, "got");
        ended(t, index);
      },
    );
  scene.can(
    "job.git-fails",
    () => `prepare job ${job.attempt} ends: git could not get the project`,
    (t) => {
      told(t, job, "failed");
      ended(t, index);
    },
  );
}

/** Whoever launched it and still listens goes on with the answer. */
function told(t: State, job: Job, outcome: Outcome): void {
  const hears = (d: Driver): boolean => d.stage === "verify" && d.attempt === job.attempt;
  const heard = (d: Driver): Driver => (hears(d) ? { ...d, stage: "commit", outcome } : d);
  if (t.leader !== null) t.leader = heard(t.leader);
  t.zombies = t.zombies.map(heard);
}

export function newPreparing(attempt: Id, volume: Id, version: number): Job {
  return { kind: "prepare", attempt, volume, archive: 0, read: null, projects: version, late: false };
}

/** Whether anything has this volume, or is about to. */
export function isUsed({ container, jobs }: State, volume: Id): boolean {
  return container?.volume === volume || jobs.some((j) => j.volume === volume && !j.late);
}

/** Whether a job that prepares has this volume. */
export function isPrepared(s: State, volume: number): boolean {
  return s.jobs.some((j) => j.kind === "prepare" && j.volume === volume);
}

/**
 * Ends what prepares the home, whoever's it is: jobs are found by their workspace. It is on its own disk, so that what is gone
 * has no write on its way.
 */
export function endPreparing(t: State): void {
  t.jobs = t.jobs.filter((j) => j.kind !== "prepare");
}

/** Ends the jobs of an attempt, as takeover and timeout must; with `late`, the last write of one is still on its way. */
export function endJobs(t: State, attempt: number, late: boolean): void {
  if (!late) {
    t.jobs = t.jobs.filter((j) => j.attempt !== attempt || j.late || j.kind === "prepare");
    return;
  }
  t.left.lateWrites -= 1;
  t.jobs = t.jobs
    .filter((j) => j.attempt !== attempt || j.read !== null || j.kind === "prepare")
    .map((j) => (j.attempt === attempt && j.kind !== "prepare" ? { ...j, late: true } : j));
}

/** Whether ending the jobs of this attempt could leave a write on its way. */
export function canBeLate(s: State, attempt: number): boolean {
  return (
    s.left.lateWrites > 0 &&
    s.jobs.some((j) => j.attempt === attempt && j.kind !== "prepare" && j.read !== null && !j.late)
  );
}

/** Jobs that a look-up by label finds. */
export function hasVisibleJob(s: State, attempt: number): boolean {
  return s.jobs.some((j) => j.attempt === attempt && !j.late);
}
