import type { CheckRequest, CheckResult, PrepareProgress, PrepareRequest, PrepareResult } from "./prepare-protocol.ts";

/**
 * How the control plane and the job program talk.
 *
 * The job program (`storage/main.ts`) runs where the volume is: a child process, or a container with no network. It is started
 * as `node main.ts KIND JSON` with the volume's path in CODEHUB_JOB_VOLUME:
 *
 *   pack        volume → compressed archive
 *   pack-empty  the archive of a home that never existed; needs no volume
 *   inspect     an archive, decoded and measured, nothing written; needs no volume
 *   unpack      an archive → volume; compares the volume with the manifest; writes the identity file last
 *   seal        writes the identity file of a provisioned volume
 *   identity    reports the identity file
 *
 * Archives are read from stdin and written to stdout, or both from and to the socket that CODEHUB_JOB_SOCKET names, where
 * the job can connect to it. Where CODEHUB_JOB_ADDRESSES names a file, or a folder whose files, in the order of their names, are that file, the job sends or
 * reads the archive itself, to and from the addresses in it, and holds an object to what was recorded of it.
 *
 * A second program (`prepare/main.ts`, `prepare-protocol.ts`) gets a repository into a home, or asks a host whether it would
 * give one. It reports in the same way.
 *
 * stderr carries one JSON report a line. The first one is a greeting: which protocol this program speaks, and which way its
 * bytes go; before it nothing is done, and the server sends nothing. The last one says how it ended, and the exit code
 * agrees with it: a job that ends without such a line was killed, whatever its exit code says. The program imports nothing
 * from npm and nothing outside this folder at run time, so that an image with Node, GNU tar and zstd can hold it.
 */

/**
 * Version of everything on this page but the archive's format. Server and program must have the same: the program may come
 * from an image that was built from other sources. The image carries it as the label codehub.job-protocol.
 *
 *   1  no greeting, no version; standard streams only
 *   2  the greeting, and the socket
 *   3  addresses
 *   4  a home is packed only with the whole identity that is recorded of it; of what was sent, the number of parts
 *   5  a home that was archived on another kind of runtime is given to the account that homes have here
 *   6  the program that gets a repository into a home
 *   7  the same program asks a host whether it lets somebody in
 */
export const PROTOCOL_VERSION = 7;

/**
 * Version of the archive's format; an archive with a newer one is refused, one with any older is restored for ever.
 *
 *   1  access control lists as text, in which GNU tar 1.34 names accounts even where it was told to use numbers
 *   2  access control lists as the kernel's own bytes, which know accounts by number only
 */
export const FORMAT_VERSION = 2;

/** What can be measured from the decoded stream, equal for the same tree wherever it lies. */
export interface TreeFacts {
  readonly manifestDigest: string;
  readonly entryCount: number;
  /** Bytes of file data in the stream; the holes of sparse files do not count. */
  readonly contentBytes: number;
}

export interface PackFacts extends TreeFacts {
  readonly skippedSockets: number;
  readonly formatVersion: number;
}

/**
 * What was sent to addresses: an object, once the server has completed it. Short whatever the size, to fit into a pod's last
 * words: the store itself knows what it was sent.
 */
export interface SentObject {
  /** How many. */
  readonly parts: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface JobIdentity {
  readonly workspaceId: string;
  readonly attempt: string;
  readonly archiveKey: string | null;
  readonly manifestDigest: string | null;
}

/** The account whose homes are, where all workspaces have the same. */
export interface HomeOwner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * What was recorded of a stored object, for a job whose stdin is that object itself, a file, or that reads it from an
 * address: it checks it then. Null where the archive is fed to the job, and checked by who feeds it.
 */
export interface ObjectFacts {
  readonly sha256: string;
  readonly sizeBytes: number;
}

export type JobRequest =
  /**
   * A volume without this workspace's identity is not a home, an engine may have made it up: it is not packed. Nor is an
   * older home of the workspace, where it is recorded elsewhere too which one it should be.
   */
  | { readonly kind: "pack"; readonly workspaceId: string; readonly identity?: JobIdentity }
  | { readonly kind: "pack-empty" }
  /** More entries or bytes than expected stop the job at once: a bomb never unfolds. */
  | { readonly kind: "inspect"; readonly limits: StreamLimits; readonly object: ObjectFacts | null }
  | {
      readonly kind: "unpack";
      readonly expected: TreeFacts;
      /** The archive's, not the program's. */
      readonly formatVersion: number;
      readonly identity: JobIdentity;
      readonly object: ObjectFacts | null;
      /** Who gets every file of a home that was another account's when it was archived. Without it all stay whose they were. */
      readonly owner?: HomeOwner;
    }
  | { readonly kind: "seal"; readonly identity: JobIdentity }
  | { readonly kind: "identity" };

export interface StreamLimits {
  readonly entryCount: number;
  readonly contentBytes: number;
}

/** The reasons the core knows that a job can tell apart by itself. */
export type JobFailureReason = "ArchiveCorrupted" | "DiskFull" | "Unreachable" | "ActionFailed";

export interface JobProgress {
  readonly step: "packing" | "checking" | "unpacking" | "comparing";
  readonly doneBytes: number;
  readonly totalBytes: number | null;
  readonly doneFiles: number;
}

/** Which way an archive goes: by stdin and stdout, through the server's socket, or past the server to and from the store. */
export type BytesWay = "streams" | "socket" | "addresses";

/** The content of the file that CODEHUB_JOB_ADDRESSES names. Whoever has an address can use it: none is ever reported. */
export interface JobAddresses {
  /** Where to send an archive. */
  readonly send?: PartAddresses;
  /** Where to read one. */
  readonly read?: string;
  /** Certificates to trust besides the system's, in PEM. */
  readonly ca: string | null;
}

export interface PartAddresses {
  readonly addresses: readonly string[];
  readonly partBytes: number;
}

export interface Greeting {
  readonly protocol: number;
  readonly bytes: BytesWay;
  /** Why it is not the socket, although one was named. */
  readonly because?: string;
}

export type JobReport =
  | { readonly greeting: Greeting }
  | { readonly progress: JobProgress }
  | { readonly packed: PackFacts; readonly sent?: SentObject }
  | { readonly inspected: TreeFacts }
  /**
   * Which identity the volume has now; `untouched` says that it had one before and nothing was done, `given` how many files and
   * folders went to another account than they were archived with.
   */
  | { readonly unpacked: { readonly untouched: boolean; readonly identity: JobIdentity; readonly given?: number } }
  | { readonly sealed: true }
  | { readonly identity: JobIdentity | null }
  | { readonly preparing: PrepareProgress }
  | { readonly prepared: PrepareResult }
  | { readonly checked: CheckResult }
  | { readonly failure: { readonly reason: JobFailureReason; readonly message: string } };

export class JobFailure extends Error {
  override readonly name = "JobFailure";
  readonly reason: JobFailureReason;

  constructor(reason: JobFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The variable that carries the path at which the job sees its volume. */
export const VOLUME_VARIABLE = "CODEHUB_JOB_VOLUME";
/** The variable that carries the path of the server's socket, where there is one. */
export const SOCKET_VARIABLE = "CODEHUB_JOB_SOCKET";
/** The variable that carries the path of the file with addresses, where the job sends and reads by itself. */
export const ADDRESSES_VARIABLE = "CODEHUB_JOB_ADDRESSES";
/** The variable that carries the path of a file for greeting and last report, where those on stderr may be lost. */
export const RESULT_VARIABLE = "CODEHUB_JOB_RESULT";
/** The variable that carries the protocol of the server. Servers of before state none, and speak what every program does. */
export const PROTOCOL_VARIABLE = "CODEHUB_JOB_PROTOCOL";

export function jobArguments(request: JobRequest | PrepareRequest | CheckRequest): string[] {
  return [request.kind, JSON.stringify(request)];
}

/** The request of a storage job as given on the command line. Only the control plane starts jobs, so a wrong one is a bug. */
export function parseArguments(args: readonly string[]): JobRequest {
  return parseRequest<JobRequest>(args);
}

export function parsePrepareArguments(args: readonly string[]): PrepareRequest | CheckRequest {
  const request = parseRequest<PrepareRequest | CheckRequest>(args);
  if (request.kind !== "prepare" && request.kind !== "check") throw unknownJob((request as { kind: string }).kind);
  return request;
}

function parseRequest<T extends { readonly kind: string }>([kind, json]: readonly string[]): T {
  const request: unknown = JSON.parse(json ?? "null");
  if (typeof request !== "object" || request === null || (request as { kind?: unknown }).kind !== kind) {
    throw unknownJob(kind);
  }
  return request as T;
}

const unknownJob = (kind: string | undefined): JobFailure =>
  new JobFailure("ActionFailed", `unknown job ${JSON.stringify(kind)}`);
