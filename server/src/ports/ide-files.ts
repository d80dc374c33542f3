import type { Readable } from "node:stream";

export const CODINGS = ["zstd", "br", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];

/** One of an IDE's own files, in the form in which it is sent. */
export interface IdeFile {
  readonly type: string;
  /** Null: as it is. */
  readonly coding: Coding | null;
  /** Whether there are other forms of it. */
  readonly varies: boolean;
  readonly bytes: number;
  /** Another one for other bytes. */
  readonly tag: string;
  readonly open: () => Readable;
}

/**
 * The files of an IDE that every workspace is given alike, where the server itself has them: they are the same before the
 * workspace runs. Nothing that a workspace can write is among them.
 */
export interface IdeFiles {
  /** Null for any path that is not exactly one of them. Their content never changes under the same path. */
  readonly find: (path: string, accepted: ReadonlySet<Coding>) => Promise<IdeFile | null>;
}
