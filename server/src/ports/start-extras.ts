/** What one start may be given beyond a container on its home, where the runtime takes it. */
export interface StartExtras {
  /** What its machine is called, a valid label. */
  readonly hostName?: string;
  /** What it may use at most, in place of what the operator has set for all. */
  readonly size?: StartSize;
  readonly init?: InitStep;
  /**
   * Put where only memory backs them, outside the home, in a folder of the workspace's user that the variable
   * CODEHUB_FILES names. They are on no disk, in no engine's list and in no process's arguments, and go with the
   * container. A cluster has them as an object of its own until the container has read them.
   */
  readonly files?: readonly GivenFile[];
  /**
   * The path of one of these files, which the shell that becomes the IDE reads into itself just before: what it exports
   * the IDE has, and what it leaves running in the background goes on. Nobody waits longer than for the IDE itself, so it
   * must come to an end soon. One that fails is told in the log, and the IDE begins all the same.
   */
  readonly prelude?: string;
  /** For the image, where its registry asks who wants it. */
  readonly pullCredential?: PullCredential;
}

export type StartExtra = keyof StartExtras;

export interface StartSize {
  readonly cpus: number;
  readonly memoryBytes: number;
}

/**
 * Runs before the IDE, at every start that is tried: as the workspace's user, with its variables, files, network and
 * home. What it changes outside the home, and what it leaves running, may be gone when the IDE begins. Its output is in
 * the container's log. Where it fails there is no IDE: the container has ended with `init_failed`, whose fields are
 * `exit_code` (or `limit_seconds` when its time was over) and, as `message`, its last words.
 */
export interface InitStep {
  readonly command: readonly string[];
  readonly limitSeconds: number;
}

export interface GivenFile {
  /** Below the folder, of plain characters; folders on the way are made. */
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

export interface PullCredential {
  /** As image names begin with it: host and, unless it is the usual one, port. */
  readonly registry: string;
  readonly user: string;
  readonly password: string;
}
