import type { Readable } from "node:stream";
import type { CheckRequest, PrepareRequest } from "#job-program/prepare-protocol.ts";
import type { Greeting, HomeOwner, JobAddresses, JobRequest } from "#job-program/protocol.ts";
import type { PrepareSpec } from "#ports/jobs.ts";
import type { JobBytes } from "./job-channel.ts";

/**
 * What a runtime has to offer so that `StorageJobRunner` can do the rest: start the job program beside a volume, with its
 * reports to be read and a way for its bytes, and find and end what it started by labels. The program, the protocol and
 * the way to the archive store are the same everywhere.
 */
export interface JobLauncher {
  /** Whether its jobs run on this machine, so that they can be given a file to read instead of being fed its bytes. */
  readonly takesFiles: boolean;
  /**
   * Its jobs send and read archives themselves, to and from addresses of the store; null or absent where the bytes pass
   * through this process.
   */
  readonly direct?: DirectJobs | null;
  /** Whose every home is on this runtime, to whom one of another kind of runtime is given; absent where each has an account of its own. */
  readonly homeOwner?: HomeOwner;
  /** Resolves when the job was started. Rejects with OperationFailure when it positively was not. */
  readonly launch: (spec: JobLaunch) => Promise<RunningJob>;
  /** Attempts of this workspace that have a job which may still run, also one launched by another process. */
  readonly find: (workspaceId: string) => Promise<string[]>;
  /** Ends every job of this workspace with all it started; resolves only when they are positively gone. */
  readonly end: (workspaceId: string) => Promise<void>;
}

export interface DirectJobs {
  /** How many parts of which size an archive of this volume may need at most. */
  readonly partsFor: (volume: string | null) => Promise<{ readonly parts: number; readonly partBytes: number }>;
  /** How long a job may take. */
  readonly validSeconds: number;
  /** Certificates to trust besides the system's, in PEM. */
  readonly ca: string | null;
}

export interface JobLaunch {
  readonly request: JobRequest;
  readonly labels: JobLabels;
  /**
   * The only thing the job may touch: read-only for `read`. Null for jobs that need none. The job learns the path from
   * the variable CODEHUB_JOB_VOLUME.
   */
  readonly volume: { readonly name: string; readonly access: "read" | "write" } | null;
  /** For jobs that send and read by themselves. */
  readonly addresses?: JobAddresses;
  /** An open file to be the job's stdin; only where the launcher takes files. It stays open here. */
  readonly input?: { readonly fd: number };
}

export interface JobLabels {
  readonly workspaceId: string;
  readonly attempt: string;
}

export interface RunningJob {
  /** The image that its program is in; null where that is the files which this server was started from. */
  readonly image: string | null;
  /** Its reports: JSON, one a line. */
  readonly stderr: Readable;
  /** The way that it said it takes. Asked once, after its greeting. */
  readonly bytes: (greeting: Greeting) => Promise<JobBytes>;
  /**
   * Resolves, never rejects, when its program has ended for certain and can do nothing any more. Only where that is known a good
   * while before everything is gone: a cluster takes seconds to take a pod away.
   */
  readonly ended?: Promise<JobExit>;
  /** Resolves, never rejects, when the job and everything it started are gone. Output may still be unread. */
  readonly exited: Promise<JobExit>;
  /** Ends it by force; `exited` then settles. Ended already is fine. */
  readonly kill: () => void;
  /** Its reports were read to the end: a way that was not asked for by now is closed. */
  readonly release: () => void;
}

export interface JobExit {
  /** Null when it was ended by a signal or its code is not known. */
  readonly code: number | null;
}

/** The same for jobs that do a workspace's work while it rests; they are found and ended as storage jobs are. */
export interface SetupLauncher {
  /** As the workspace's user, on its home, in its network, with these files in memory. Rejects when it positively was not started. */
  readonly launch: (spec: SetupLaunch) => Promise<RunningJob>;
  /**
   * The same without a workspace: as a user of workspaces, with an empty home in memory, in a network of its own behind the rules of
   * theirs. Aborted before the job has begun, it rejects, and nothing is left.
   */
  readonly launchApart: (spec: ApartLaunch, signal: AbortSignal) => Promise<RunningJob>;
}

interface LaunchCommon extends Pick<PrepareSpec, "ownerId" | "files" | "env"> {
  readonly labels: JobLabels;
}

export interface SetupLaunch extends LaunchCommon, Pick<PrepareSpec, "volume" | "hostPort"> {
  readonly request: PrepareRequest;
}

export interface ApartLaunch extends LaunchCommon {
  readonly request: CheckRequest;
}
