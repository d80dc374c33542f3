import { OperationFailure } from "#ports/failure.ts";
import type { Runtime, StartSpec } from "#ports/runtime.ts";
import type { GivenFile, StartExtra } from "#ports/start-extras.ts";

/** Names the folder of the files that a start was given, to everything inside. */
export const FILES_VARIABLE = "CODEHUB_FILES";

/** A cluster keeps no more than a megabyte in one object. */
const FILES_LIMIT_BYTES = 768 * 1024;
const FILES_LIMIT = 200;
const PLAIN_PATH = /^[A-Za-z0-9_.-]{1,80}(\/[A-Za-z0-9_.-]{1,80}){0,3}$/;

/** Rejects a start that asks for what this runtime cannot give, or cannot be given so. */
export function requireTaken(spec: StartSpec, takes: Runtime["takes"]): void {
  for (const extra of Object.keys(takes) as StartExtra[]) {
    if (takes[extra] || spec[extra] === undefined) continue;
    throw new OperationFailure("ActionFailed", `A start cannot be given ${extra} here.`);
  }
  requireFiles(spec.files ?? []);
  if (spec.prelude !== undefined && !spec.files?.some(({ path }) => path === spec.prelude)) {
    throw new OperationFailure("ActionFailed", "A prelude is one of the files that a start is given.");
  }
}

function requireFiles(files: readonly GivenFile[]): void {
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (files.length > FILES_LIMIT || bytes > FILES_LIMIT_BYTES) {
    throw new OperationFailure("ActionFailed", `A start is given ${files.length} files of ${bytes} bytes: too much.`);
  }
  for (const { path } of files) {
    const isPlain = PLAIN_PATH.test(path) && path.split("/").every((part) => part !== "." && part !== "..");
    if (!isPlain)
      throw new OperationFailure("ActionFailed", `${JSON.stringify(path)} is no name for a file of a start.`);
  }
}
