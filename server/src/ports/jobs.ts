import type { RepositorySource } from "#core/rows/source.ts";
import type { ArchiveFacts } from "#core/rows/workspace.ts";
import type { GivenFile } from "./start-extras.ts";
import type { Progress } from "./store.ts";

/**
 * The storage job: moves a home between a volume and object storage, where the volume is. It knows nothing of the
 * database. It may outlive the process that launched it: it carries workspace and attempt as labels, and is found
 * and ended by them. Rejections are OperationFailure with ArchiveCorrupted, DiskFull, Unreachable or ActionFailed.
 */
export interface StorageJobs {
  /**
   * tar → zstd → object, then `.meta`, then a full read-back. Needs zero containers on the volume and its identity.
   * Object and marker of this very attempt there and whole: nothing is uploaded again.
   */
  readonly archive: (spec: ArchiveSpec, options: JobOptions) => Promise<ArchiveFacts>;
  /** The same for a home that never existed: a small valid archive of an empty tree. */
  readonly archiveEmpty: (
    spec: { workspaceId: string; attempt: string; key: string },
    options: JobOptions,
  ) => Promise<ArchiveFacts>;
  /**
   * Fills a new volume: checks free space, verifies the checksum while streaming and the manifest after, writes the
   * identity file last. A volume that has an identity already is left untouched and reported as it is.
   */
  readonly restore: (spec: RestoreSpec, options: JobOptions) => Promise<Restored>;
  /** A restore test: reads and decodes the whole object and compares; changes nothing. */
  readonly verify: (spec: { key: string; expected: ArchiveFacts }, options: JobOptions) => Promise<void>;
  /** Attempts of this workspace whose job may still run. */
  readonly find: (workspaceId: string) => Promise<string[]>;
  /** Ends every job of this workspace and resolves only when all are positively gone. */
  readonly end: (workspaceId: string) => Promise<void>;
}

export interface ArchiveSpec {
  readonly workspaceId: string;
  readonly attempt: string;
  readonly volume: string;
  readonly key: string;
}

export interface RestoreSpec {
  readonly workspaceId: string;
  readonly attempt: string;
  /** Made by `Volumes.create` for this attempt, without identity. */
  readonly volume: string;
  readonly key: string;
  readonly expected: ArchiveFacts;
}

export interface Restored {
  /** How many files and folders were given to the account that homes have here: the home comes from another kind of runtime. */
  readonly given: number;
}

export interface JobOptions {
  readonly onProgress: (progress: Progress) => void;
  /** Aborting ends the job; the promise settles when it is gone. */
  readonly signal: AbortSignal;
}

/** Work on a home at rest in its workspace's stead: as its user, in its network, with its owner's keys. */
export interface SetupJobs {
  /**
   * Gets the repository into the home. What git could not do is an outcome, not a rejection; rejections are
   * OperationFailure with DiskFull, Unreachable or ActionFailed and mean that the job was not run to its end. Its jobs
   * are found and ended like storage jobs, by the same labels. A job has the home alone: it is refused, also when its launch
   * arrives late or twice, while a container or another job has the volume, and while it runs none of them begins.
   */
  readonly prepare: (spec: PrepareSpec, options: PrepareOptions) => Promise<Prepared>;
  /**
   * Asks a host, with what it is given, for the name of a repository's default branch. It has a home that is empty and only in memory, and
   * the network of a workspace. That the host did not like it is an outcome; rejections are those of `prepare`. It is found and ended like
   * a workspace's jobs, by its own id, and ends by itself soon after its limit whatever becomes of this process.
   */
  readonly check: (spec: CheckSpec, options: Pick<PrepareOptions, "signal">) => Promise<Checked>;
}

export interface CheckSpec {
  /** In place of a workspace's id: no workspace has it. */
  readonly checkId: string;
  /** Where every owner has an account of this machine, it is this one's. */
  readonly ownerId: string;
  readonly cloneUrl: string;
  readonly limitSeconds: number;
  readonly files: readonly GivenFile[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Checked {
  /** Null where nothing was ever committed, or it could not be read. */
  readonly branch: string | null;
  /** Whether the host wanted a credential: what is public says nothing about one. */
  readonly asked: boolean;
  readonly failure: GitFailure | null;
}

export interface PrepareSpec {
  readonly workspaceId: string;
  readonly attempt: string;
  readonly volume: string;
  readonly ownerId: string;
  /** Reserved in the database for this attempt where the runtime wants one: its network goes by it. */
  readonly hostPort: number | null;
  readonly source: Pick<RepositorySource, "cloneUrl" | "protocol" | "host" | "ref" | "folder">;
  /** The address of another repository, with what a person wants in every home. */
  readonly dotfiles: string | null;
  /** In memory, in the folder that CODEHUB_FILES names: git's configuration, credentials, a key for the agent. */
  readonly files: readonly GivenFile[];
  readonly env: Readonly<Record<string, string>>;
}

export interface PrepareOptions {
  readonly onProgress: (progress: PrepareProgress) => void;
  /** Aborting ends the job; the promise settles when it is gone. */
  readonly signal: AbortSignal;
}

export type PrepareStep = "resolving" | "cloning" | "checking_out" | "submodules" | "lfs" | "dotfiles" | "reading";

export interface PrepareProgress {
  readonly step: PrepareStep;
  readonly percent: number | null;
  readonly doneBytes: number;
  readonly bytesPerSecond: number | null;
}

export interface Prepared {
  /** Below the home; null when there is no project. */
  readonly folder: string | null;
  /** What a link pointed at inside it. */
  readonly subfolder: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
  /** What git did not do, as it said it: the caller judges. */
  readonly failure: GitFailure | null;
  /** Steps that failed without taking the project away: submodules, lfs, dotfiles. */
  readonly partial: readonly GitFailure[];
  readonly devcontainer: { readonly path: string; readonly text: string } | null;
  /** More than one, none of them read. */
  readonly devcontainers: readonly string[];
  /** The beginning and the end of what git said. */
  readonly log: string;
}

export interface GitFailure {
  readonly step: PrepareStep;
  /** Null when it was ended by a signal. */
  readonly exitCode: number | null;
  readonly said: string;
  /** Branches and tags with similar names, where one was not found. */
  readonly near: readonly string[];
}
