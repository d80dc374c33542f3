import type { Readable } from "node:stream";
import type { ArchiveFacts, Ms } from "#core/rows/workspace.ts";

/**
 * Object storage. Keys are ours alone (`{workspace}/{attempt}/home.tar.zst` and `.meta`), bound to this deployment.
 * A rejection is "not seen"; null is a positive "not there". Every change is refused (`Unreachable`) when another store
 * than the one that was opened lies in its place.
 */
export interface ArchiveStore extends Partial<DirectUploads> {
  /** Identifies bucket or directory; written there at first start, so that another one is noticed. */
  readonly storeId: () => Promise<string>;
  /** The object's size and its commit marker, if any. */
  readonly head: (key: string) => Promise<ArchiveHead | null>;
  /** Streams in bounded memory. Refuses to overwrite (rejects) where the store can tell. On abort nothing is left. */
  readonly put: (key: string, body: Readable, signal: AbortSignal) => Promise<{ sizeBytes: number; sha256: string }>;
  /** The commit marker, after the object. */
  readonly putMeta: (key: string, meta: ArchiveMeta) => Promise<void>;
  /** Rejects when it is not there. */
  readonly get: (key: string, signal: AbortSignal) => Promise<{ body: Readable; sizeBytes: number }>;
  /**
   * Only of a store whose objects are files of this machine: the object, for a program here to read by itself. Whoever
   * opened it closes it. Rejects when it is not there.
   */
  readonly openFile?: (key: string) => Promise<OpenFile>;
  /** Removes object and marker, marker first. Not there is fine. */
  readonly remove: (key: string) => Promise<void>;
  /** Every object key of this deployment, complete or rejected; markers without an object included, as their object's key. */
  readonly list: () => Promise<ObjectSeen[]>;
  /** Aborts multipart uploads begun before `olderThanMs` of the store's own clock; resolves to how many. */
  readonly abortStaleUploads: (olderThanMs: number) => Promise<number>;
  /** The garbage collection generation kept beside the data. */
  readonly readGeneration: () => Promise<number>;
  readonly writeGeneration: (generation: number) => Promise<void>;
}

/**
 * Only of a store that others can send to and read from by themselves, without any right of their own: each address is
 * good for one part of one upload, or for reading one object, and only for a while.
 */
export interface DirectUploads {
  /** Begins an upload and gives its id. Refuses to overwrite (rejects), as `put` does. */
  readonly begin: (key: string) => Promise<string>;
  /** Where to send (PUT) the parts 1 to `parts`. Nobody has to use all of them. */
  readonly sign: (key: string, upload: string, parts: number, validSeconds: number) => Promise<readonly string[]>;
  /**
   * Makes the object of the parts 1 to `parts`, as the store has them: what a sender said of them need not have arrived.
   * Rejects when one is missing, or what comes to be does not have this size, and leaves nothing then. Done already is fine.
   */
  readonly complete: (key: string, upload: string, parts: number, sizeBytes: number) => Promise<void>;
  /** Takes away whatever was sent; from then on its addresses are good for nothing. Not there is fine. */
  readonly abort: (key: string, upload: string) => Promise<void>;
  /** Where to read (GET) the object. */
  readonly signRead: (key: string, validSeconds: number) => Promise<string>;
}

export interface OpenFile {
  /** Negative once it is closed. */
  readonly fd: number;
  readonly close: () => Promise<void>;
}

export interface ArchiveHead {
  readonly sizeBytes: number;
  /** Null: the upload was never committed. */
  readonly meta: ArchiveMeta | null;
}

/** The commit marker's content. A format newer than this program knows is refused, never guessed at. */
export interface ArchiveMeta extends ArchiveFacts {
  readonly workspaceId: string;
  readonly attempt: string;
  readonly createdAt: Ms;
}

export interface ObjectSeen {
  readonly key: string;
  readonly sizeBytes: number;
  /** Age by the store's own clocks, so that skew between machines does not matter. */
  readonly ageMs: number;
}
