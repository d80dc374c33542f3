/**
 * What the job that gets a repository into a home is asked, and what it says: a part of `protocol.ts`.
 *
 * It is started as `node prepare/main.ts prepare JSON` by the workspace's own user, with HOME as the home. CODEHUB_FILES names a
 * folder in memory: `gitconfig` becomes git's system-wide configuration, `ssh-key` goes into an agent and is removed,
 * `known_hosts` are keys of hosts that an operator vouches for. With SSH_HOST_KEYS=pinned no others are accepted.
 */
export interface PrepareRequest {
  readonly kind: "prepare";
  readonly attempt: string;
  readonly cloneUrl: string;
  readonly protocol: "https" | "ssh" | "http";
  readonly host: string;
  readonly ref: WantedRef | null;
  readonly folder: string;
  readonly dotfiles: string | null;
}

/**
 * `node prepare/main.ts check JSON`: whether a host lets in who comes with the files that this job was given. It reads the name of one
 * branch and changes nothing; its home is empty, and goes with it.
 */
export interface CheckRequest {
  readonly kind: "check";
  readonly cloneUrl: string;
  /** Somebody waits: a host that has not answered by then is not waited for, and whatever becomes of the server, this ends. */
  readonly limitSeconds: number;
}

export interface CheckResult {
  /** The default branch; null where nothing was ever committed, or it could not be read. */
  readonly branch: string | null;
  /** Whether the host wanted a credential: what is public says nothing about one. */
  readonly asked: boolean;
  readonly failure: GitFailure | null;
}

export type WantedRef =
  | { readonly kind: "branch_or_tag"; readonly name: string }
  | { readonly kind: "commit"; readonly id: string }
  /** The longest leading part that is a branch or a tag; the rest is a path inside the project. */
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "pull"; readonly ref: string; readonly branch: string };

export type PrepareStep = "resolving" | "cloning" | "checking_out" | "submodules" | "lfs" | "dotfiles" | "reading";

export interface PrepareProgress {
  readonly step: PrepareStep;
  readonly percent: number | null;
  readonly doneBytes: number;
  readonly bytesPerSecond: number | null;
}

/** A command of git that did not end well, in git's own words. */
export interface GitFailure {
  readonly step: PrepareStep;
  /** Null when it was ended by a signal. */
  readonly exitCode: number | null;
  readonly said: string;
  /** Branches and tags with similar names, where one was not found. */
  readonly near: readonly string[];
}

export interface PrepareResult {
  /** Below the home; null when there is no project. */
  readonly folder: string | null;
  readonly subfolder: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
  readonly failure: GitFailure | null;
  /** Steps that failed without taking the project away. */
  readonly partial: readonly GitFailure[];
  readonly devcontainer: { readonly path: string; readonly text: string } | null;
  /** More than one, none of them read. */
  readonly devcontainers: readonly string[];
  /** The beginning and the end of what git said. */
  readonly log: string;
}
