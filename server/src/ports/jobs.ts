import type { ArchiveFacts } from "#core/rows/workspace.ts";
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
