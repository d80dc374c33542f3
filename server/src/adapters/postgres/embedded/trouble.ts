// Everything that can stop the embedded PostgreSQL from starting, told with what to do about it. PostgreSQL itself says
// these things only in its log, in words for database administrators.

export type TroubleKind =
  | "binaries-missing"
  | "no-account"
  | "unreadable"
  | "other-version"
  | "not-a-database"
  | "disk-full"
  | "port-taken"
  | "in-use"
  | "failed";

export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
  readonly kind: TroubleKind;

  constructor(kind: TroubleKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Reads what initdb or the server wrote before it gave up. The first rule that matches tells the cause. */
export function explainFailure(output: string, rootDir: string): EmbeddedPostgresError {
  if (/No space left on device|Disk quota exceeded/.test(output)) {
    return diskFull(rootDir, output);
  }
  if (/Address already in use/.test(output)) {
    return new EmbeddedPostgresError(
      "port-taken",
      `The embedded PostgreSQL cannot listen: its TCP port is taken by another program. Choose another port or end that program.\n${tail(output)}`,
    );
  }
  if (/Permission denied|has wrong ownership|Operation not permitted/.test(output)) {
    return unreadable(rootDir, tail(output));
  }
  return new EmbeddedPostgresError(
    "failed",
    `The embedded PostgreSQL in ${rootDir} did not start. Its last words:\n${tail(output)}`,
  );
}

export function diskFull(rootDir: string, detail: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "disk-full",
    `The disk that holds ${rootDir} is full. Free some space there (PostgreSQL needs about 100 MB to start) or point DATA_DIR to another disk, then start again. Nothing was lost.\n${tail(detail)}`,
  );
}

export function unreadable(path: string, detail: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "unreadable",
    `The embedded PostgreSQL cannot use ${path}: ${detail}\nStart CodeHub as the user that owns this directory (or as root), give the directory to the user that starts it (chown -R), or set DATA_DIR to a directory it may write.`,
  );
}

/** A system call's error in the same words, so that a full disk reads alike whoever met it first. */
export function explainSystemError(error: unknown, path: string): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return diskFull(path, String(error));
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return unreadable(path, String(error));
  }
  return error instanceof Error ? error : new Error(String(error));
}

function tail(output: string): string {
  return output.trimEnd().split("\n").slice(-12).join("\n");
}
