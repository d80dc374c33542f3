import type { ArchiveFacts } from "#core/rows/workspace.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { ArchiveSpec, Prepared, PrepareSpec, RestoreSpec } from "#ports/jobs.ts";
import { newObject } from "./fake-archives.ts";
import { isFull } from "./fake-engine.ts";
import type { Job } from "./fake-jobs.ts";
import { type Content, factsOf, KNOWN_FORMAT, type SimObject, type SimVolume, type World } from "./world.ts";

/** Yields how long the next stretch takes; what it throws is how the job fails. */
export type JobSteps = Generator<number, JobValue, void>;
export type JobValue = ArchiveFacts | Prepared | undefined;

/** What an honest job does. Planted bugs switch one off. */
export interface JobTricks {
  readonly readsBack: boolean;
  readonly respectsIdentity: boolean;
  readonly checksFormat: boolean;
  readonly checksContainers: boolean;
  readonly endsJobs: boolean;
  /** What prepares a home has the place of its container: whoever comes second does not begin. */
  readonly alone: boolean;
}

export const HONEST: JobTricks = {
  readsBack: true,
  respectsIdentity: true,
  checksFormat: true,
  checksContainers: true,
  endsJobs: true,
  alone: true,
};

export function* archiveSteps(world: World, job: Job, spec: ArchiveSpec, tricks: JobTricks): JobSteps {
  yield pause(world);
  const volume = needVolume(world, spec.volume);
  if (volume.identity === null) throw failed(`Volume ${spec.volume} has no identity.`);
  if (tricks.checksContainers && world.engine.referencing(spec.volume).length > 0)
    throw failed("A container is on the volume.");
  if (tricks.alone && world.isBeingPrepared(spec.workspaceId)) throw failed("A job prepares the home.");
  job.begun = true;
  const done = whole(world, spec.key);
  if (done !== null) {
    world.sim.sometimes("job: an upload of this attempt was found whole");
    return done;
  }
  const before = volume.content;
  const projects = new Set(volume.projects);
  yield* upload(world, job, spec.key);
  yield pause(world);
  // A tree that changed while it was read is neither the old nor the new one.
  const after = needVolume(world, spec.volume);
  const source = after.content === before && after.projects.size === projects.size ? before : "P";
  return yield* complete(world, job, { ...spec, projects }, source, tricks);
}

export function* emptySteps(
  world: World,
  job: Job,
  spec: { workspaceId: string; attempt: string; key: string },
  tricks: JobTricks,
): JobSteps {
  yield pause(world);
  const done = whole(world, spec.key);
  if (done !== null) return done;
  yield* upload(world, job, spec.key);
  return yield* complete(world, job, { ...spec, projects: new Set() }, 0, tricks);
}

function* upload(world: World, job: Job, key: string): Generator<number, void, void> {
  world.uploads.set(`${job.id}`, { key, begunAt: world.sim.scheduler.now });
  yield pause(world);
  yield pause(world);
}

function* complete(
  world: World,
  job: Job,
  spec: { workspaceId: string; attempt: string; key: string; projects: ReadonlySet<string> },
  source: Content,
  tricks: JobTricks,
): JobSteps {
  const { sim } = world;
  const facts = factsOf(spec.workspaceId, source);
  const truncated = sim.random.chance(sim.profile.job.truncates);
  if (truncated) sim.inject("upload_truncated", () => spec.key.slice(0, 45));
  const put = (): void => {
    world.uploads.delete(`${job.id}`);
    if (world.store.objects.has(spec.key)) throw failed(`${spec.key} exists and is not overwritten.`);
    const content = truncated ? "P" : source;
    const { sizeBytes, sha256 } = factsOf(spec.workspaceId, content);
    const object: SimObject = { ...newObject(world, spec.key), content, sizeBytes, sha256, projects: spec.projects };
    object.writers.add(`${job.id}`);
    world.store.objects.set(spec.key, object);
    world.changed();
  };
  job.lastWrite = () => {
    if (!world.store.objects.has(spec.key)) put();
  };
  yield pause(world);
  job.lastWrite = null;
  put();
  const mark = (): void => {
    const object = world.store.objects.get(spec.key);
    if (object === undefined) throw failed(`${spec.key} is not there.`);
    const { workspaceId, attempt } = spec;
    object.meta = { ...facts, workspaceId, attempt, createdAt: sim.wallMs };
    world.changed();
  };
  job.lastWrite = () => {
    if (world.store.objects.has(spec.key)) mark();
  };
  yield pause(world);
  job.lastWrite = null;
  mark();
  if (!tricks.readsBack) return facts;
  yield pause(world);
  const object = world.store.objects.get(spec.key);
  if (object === undefined || object.sha256 !== facts.sha256) {
    sim.sometimes("job: the read-back found a bad upload");
    throw failed("The object that was read back is not what was sent.");
  }
  object.readBack = true;
  return facts;
}

export function* restoreSteps(world: World, spec: RestoreSpec, tricks: JobTricks): JobSteps {
  yield pause(world);
  const volume = needVolume(world, spec.volume);
  if (volume.identity !== null && tricks.respectsIdentity) {
    world.sim.sometimes("job: a volume with an identity was left untouched");
    return undefined;
  }
  if (isFull(world)) throw new OperationFailure("DiskFull", "No space left on device.");
  readable(world, spec.key, spec.expected, tricks);
  world.writeVolume(volume, "P", spec.attempt);
  yield pause(world);
  world.writeVolume(needVolume(world, spec.volume), "P", spec.attempt);
  yield pause(world);
  const object = readable(world, spec.key, spec.expected, tricks);
  const filled = needVolume(world, spec.volume);
  world.writeVolume(filled, object.content, spec.attempt);
  for (const project of object.projects) filled.projects.add(project);
  yield pause(world);
  const compared = needVolume(world, spec.volume);
  if (compared.content !== object.content) throw failed("The restored volume is not what was archived.");
  compared.identity = {
    workspaceId: spec.workspaceId,
    attempt: spec.attempt,
    archiveKey: spec.key,
    manifestDigest: spec.expected.manifestDigest,
  };
  world.changed();
  return undefined;
}

/**
 * It writes beside what people wrote, in several goes, and gives the project its name last: what is ended before that
 * leaves nothing that counts. What git could not do is an outcome.
 */
export function* prepareSteps(world: World, job: Job, spec: PrepareSpec): JobSteps {
  const { sim } = world;
  const write = (): SimVolume => {
    const volume = needVolume(world, spec.volume);
    if (volume.identity?.workspaceId !== spec.workspaceId) throw failed(`Volume ${spec.volume} has no identity.`);
    if (isFull(world)) throw new OperationFailure("DiskFull", "No space left on device.");
    job.begun = true;
    world.onPrepared(volume, job.id);
    return volume;
  };
  yield pause(world);
  write();
  yield pause(world);
  write();
  yield pause(world);
  const nothing = { folder: null, subfolder: null, commit: null, branch: null, partial: [] } as const;
  const read = { devcontainer: null, devcontainers: [], log: "" } as const;
  if (sim.random.chance(GIT_FAILS)) {
    sim.sometimes("job: git could not get a repository");
    return { ...nothing, ...read, failure: { step: "cloning", exitCode: 128, said: "no", near: [] } };
  }
  write().projects.add(spec.source.cloneUrl);
  world.changed();
  yield pause(world);
  write();
  return { ...nothing, ...read, folder: spec.source.folder, commit: spec.source.cloneUrl, failure: null };
}

const GIT_FAILS = 0.15;

export function* verifySteps(world: World, spec: { key: string; expected: ArchiveFacts }): JobSteps {
  yield pause(world);
  readable(world, spec.key, spec.expected, HONEST);
  return undefined;
}

/** The object, when it is what it should be. A job that is not there to check the format restores whatever it finds. */
function readable(world: World, key: string, expected: ArchiveFacts, tricks: JobTricks): SimObject {
  const object = world.store.objects.get(key);
  if (object === undefined) throw new OperationFailure("ArchiveCorrupted", `${key} is not there.`);
  const format = object.meta?.formatVersion ?? KNOWN_FORMAT;
  if (format > KNOWN_FORMAT && tricks.checksFormat) {
    world.sim.sometimes("job: a newer archive format was refused");
    throw new OperationFailure("ArchiveCorrupted", `${key} has format ${format}, which is newer than this program.`);
  }
  if (object.sha256 !== expected.sha256 || object.content === "X") {
    world.sim.sometimes("job: a damaged archive was refused");
    throw new OperationFailure("ArchiveCorrupted", `${key} is damaged.`);
  }
  return object;
}

/** This very attempt's object, if an earlier run of it finished. */
function whole(world: World, key: string): ArchiveFacts | null {
  const object = world.store.objects.get(key);
  if (object === undefined || object.meta === null || object.sha256 !== object.meta.sha256) return null;
  object.readBack = true;
  return object.meta;
}

function needVolume(world: World, name: string): SimVolume {
  const volume = world.engine.volumes.get(name);
  if (volume === undefined) throw failed(`Volume ${name} is not there.`);
  return volume;
}

const failed = (message: string): OperationFailure => new OperationFailure("ActionFailed", message);

/** Homes differ in size: most jobs take seconds, some many minutes. */
function pause(world: World): number {
  const { random } = world.sim;
  return random.chance(0.1) ? random.between(30_000, 240_000) : random.between(200, 8_000);
}
