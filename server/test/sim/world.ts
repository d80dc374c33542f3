import type { Reason } from "#core/rows/meaning.ts";
import type { ArchiveFacts } from "#core/rows/workspace.ts";
import type { ArchiveMeta } from "#ports/archives.ts";
import type { VolumeIdentity } from "#ports/volumes.ts";
import { Kubernetes } from "./kubernetes.ts";
import type { Sim } from "./sim.ts";

/**
 * What lies in a home, a volume or an object. A number is the n-th tree the user wrote (0: empty); the letters are
 * trees that no user ever wrote: P partial, E made by the engine from nothing, X damaged.
 */
export type Content = number | "P" | "E" | "X";

export interface SimContainer {
  readonly id: string;
  readonly workspaceId: string;
  readonly attempt: string | null;
  readonly volume: string | null;
  readonly port: number;
  state: "created" | "running" | "exited";
  /** Why it ended, or is about to. */
  ended?: Reason;
  /** What it ends with when it ends by itself. */
  exitCode: number;
  answersAt: number;
  /** It has less than its share of the processor, because nobody has said that it came up. */
  behind: boolean;
}

/** A request to remove something. It may be carried out much later than it was asked. */
export interface Removal {
  readonly askedAt: number;
}

export interface SimVolume {
  readonly name: string;
  readonly workspaceId: string;
  readonly attempt: string;
  content: Content;
  identity: VolumeIdentity | null;
  /** The repositories that were got into it, beside what people wrote. */
  readonly projects: Set<string>;
  /** Attempts whose jobs wrote here; more than one would mean that a name was shared. */
  readonly writers: Set<string>;
}

export interface SimObject {
  readonly key: string;
  readonly workspaceId: string;
  content: Content;
  sizeBytes: number;
  sha256: string;
  meta: ArchiveMeta | null;
  readonly projects: ReadonlySet<string>;
  readonly bornAt: number;
  /** Whether a job has read all of it back and found it equal to its source. */
  readBack: boolean;
  readonly writers: Set<string>;
  /** For objects that were put as bytes, outside any job. */
  readonly bytes: Uint8Array | null;
  /** A commit marker without an object. */
  readonly lone: boolean;
}

export const KNOWN_FORMAT = 1;

/** Everything outside the database: what an engine and an object store hold. */
export class World {
  readonly sim: Sim;
  readonly containers: Map<string, SimContainer> = new Map();
  readonly volumes: Map<string, SimVolume> = new Map();
  readonly objects: Map<string, SimObject> = new Map();
  /** Uploads that were begun and never completed. */
  readonly uploads: Map<string, { readonly key: string; readonly begunAt: number }> = new Map();
  readonly badImages: Set<string> = new Set();
  /** Null: the engine is one machine's. */
  kubernetes: Kubernetes | null = null;
  engineId = "engine-1";
  storeId = "store-1";
  storeGeneration = 0;
  /** Whatever answers in place of our own engine or store, with nothing of ours in it. */
  otherEngine: World | null = null;
  otherStore: World | null = null;
  freeBytes: number = 100 * 1024 ** 3;
  /** Counts changes, so that checkers look only when there is something new. */
  version = 0;
  #serial = 0;

  /** The oracle listens here. */
  onVolumeRemoved: (volume: SimVolume, asked: Removal) => void = () => undefined;
  onObjectRemoved: (object: SimObject, asked: Removal) => void = () => undefined;
  onVolumeWritten: (volume: SimVolume, attempt: string) => void = () => undefined;
  /** A job that prepares a home writes to it. */
  onPrepared: (volume: SimVolume, job: number) => void = () => undefined;
  /** Whether such a job has the place where the workspace's container would be. */
  isBeingPrepared: (workspaceId: string) => boolean = () => false;
  onEngineHint: (workspaceId: string) => void = () => undefined;

  constructor(sim: Sim) {
    this.sim = sim;
  }

  /** What answers as the engine. */
  get engine(): World {
    return this.otherEngine ?? this;
  }

  /** What answers as the object store. */
  get store(): World {
    return this.otherStore ?? this;
  }

  serial(): number {
    return ++this.#serial;
  }

  changed(): void {
    this.version++;
  }

  containersOf(workspaceId: string): SimContainer[] {
    return [...this.containers.values()].filter((container) => container.workspaceId === workspaceId);
  }

  referencing(volume: string): SimContainer[] {
    return [...this.containers.values()].filter((container) => container.volume === volume);
  }

  createVolume(name: string, workspaceId: string, attempt: string): boolean {
    if (this.volumes.has(name)) return false;
    this.volumes.set(name, {
      name,
      workspaceId,
      attempt,
      content: 0,
      identity: null,
      projects: new Set(),
      writers: new Set([attempt]),
    });
    this.changed();
    return true;
  }

  writeVolume(volume: SimVolume, content: Content, attempt: string): void {
    volume.content = content;
    volume.writers.add(attempt);
    this.changed();
    this.onVolumeWritten(volume, attempt);
  }

  /** `asked`: null when nature did it. */
  removeVolume(name: string, asked: Removal | null): void {
    const volume = this.volumes.get(name);
    if (volume === undefined) return;
    this.volumes.delete(name);
    this.changed();
    if (asked !== null) this.onVolumeRemoved(volume, asked);
  }

  removeObject(key: string, asked: Removal): void {
    const object = this.objects.get(key);
    if (object === undefined) return;
    this.objects.delete(key);
    this.changed();
    this.onObjectRemoved(object, asked);
  }

  /** Takes an object away by an act of nature and leaves its commit marker. */
  loseObject(key: string): void {
    const object = this.objects.get(key);
    if (object === undefined) return;
    this.objects.set(key, { ...object, content: "X", sizeBytes: 0, sha256: "", bytes: null, lone: true });
    this.changed();
  }

  removeContainer(id: string): void {
    const container = this.containers.get(id);
    if (container === undefined) return;
    this.containers.delete(id);
    this.changed();
    this.onEngineHint(container.workspaceId);
  }

  exitContainer(container: SimContainer, ended: Reason | null = null): void {
    container.state = "exited";
    if (ended !== null) container.ended = ended;
    this.changed();
    this.onEngineHint(container.workspaceId);
  }
}

/** An engine or a store that was never ours: another machine behind the same name, an empty folder in place of a disk. */
export function strangerTo(world: World): World {
  const stranger = new World(world.sim);
  stranger.engineId = "engine-2";
  stranger.storeId = "store-2";
  if (world.kubernetes !== null) stranger.kubernetes = new Kubernetes(stranger);
  return stranger;
}

/** What a job measures of a tree: equal trees of one workspace have equal facts. */
export function factsOf(workspaceId: string, content: Content, formatVersion = KNOWN_FORMAT): ArchiveFacts {
  const weight = typeof content === "number" ? content + 10 : content.charCodeAt(0) + 1_000;
  const digest = hash(`${workspaceId}:${content}`);
  return {
    sha256: digest,
    sizeBytes: 1_000 + weight,
    contentBytes: 4_000 + weight,
    entryCount: weight,
    manifestDigest: `sha256:${digest}`,
    skippedSockets: 0,
    formatVersion,
  };
}

function hash(text: string): string {
  let out = "";
  for (let lane = 0; lane < 8; lane++) {
    let word = 2_166_136_261 ^ lane;
    for (let index = 0; index < text.length; index++) word = Math.imul(word ^ text.charCodeAt(index), 16_777_619);
    out += (word >>> 0).toString(16).padStart(8, "0");
  }
  return out;
}
