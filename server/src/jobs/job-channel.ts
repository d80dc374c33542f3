import type { Readable, Writable } from "node:stream";

/** The archive of one job, on its way to or from it. */
export interface JobBytes {
  /** Null when the job was given a file. */
  readonly input: Writable | null;
  readonly output: Readable;
}

/**
 * A way for a job's bytes that is made before the job and offered to it. The job says in its greeting which way it takes;
 * one that it does not take is closed.
 */
export interface JobChannel {
  /** What a container needs to find it: something of this machine, and a variable that says where it is seen there. */
  readonly mount: { readonly source: string; readonly target: string };
  readonly variable: { readonly name: string; readonly value: string };
  /** The connection of the job that says it made one. Asked once. */
  readonly take: () => Promise<JobBytes>;
  /** Nobody can connect from then on, and nothing is left of it. Bytes that were taken stay with who took them. */
  readonly close: () => Promise<void>;
}
