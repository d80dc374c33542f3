import type { Checked, GitFailure, Prepared, PrepareProgress, PrepareStep } from "#ports/jobs.ts";

/**
 * What the job that prepares a home says. It runs with a workspace's rights on what strangers wrote, so its words are taken for
 * what they should be only where they are that, and never at any length.
 */
export function readPrepared(value: unknown): Prepared | null {
  if (!isRecord(value)) return null;
  const { folder, subfolder, commit, branch, devcontainer } = value;
  const failure = value["failure"] === null ? null : readFailure(value["failure"]);
  const partial = listOf(value["partial"], readFailure);
  const devcontainers = listOf(value["devcontainers"], (path) => text(path, PATH));
  const log = text(value["log"], LOG);
  const isWhole =
    (value["failure"] === null || failure !== null) &&
    (folder === null || (typeof folder === "string" && PLAIN_FOLDER.test(folder))) &&
    (commit === null || (typeof commit === "string" && COMMIT.test(commit)));
  if (!isWhole || partial === null || devcontainers === null || log === null) return null;
  return {
    folder: folder as string | null,
    subfolder: text(subfolder, PATH),
    commit: commit as string | null,
    branch: text(branch, PATH),
    failure,
    partial,
    devcontainer: readDevcontainer(devcontainer),
    devcontainers,
    log,
  };
}

/** The same of a job that asked a host. */
export function readChecked(value: unknown): Checked | null {
  if (!isRecord(value)) return null;
  const { asked } = value;
  const failure = value["failure"] === null ? null : readFailure(value["failure"]);
  if (typeof asked !== "boolean" || (value["failure"] !== null && failure === null)) return null;
  return { branch: failure === null ? text(value["branch"], PATH) : null, asked, failure };
}

export function readPreparing(value: unknown): PrepareProgress | null {
  if (!isRecord(value)) return null;
  const { step, percent, doneBytes, bytesPerSecond } = value;
  if (!isStep(step)) return null;
  const amount = (given: unknown): number | null =>
    typeof given === "number" && Number.isFinite(given) && given >= 0 ? Math.round(given) : null;
  const share = amount(percent);
  return {
    step,
    percent: share === null ? null : Math.min(100, share),
    doneBytes: amount(doneBytes) ?? 0,
    bytesPerSecond: amount(bytesPerSecond),
  };
}

const PLAIN_FOLDER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/;
const COMMIT = /^[0-9a-f]{40,64}$/;
const PATH = 1_024;
const SAID = 8_192;
const DEVCONTAINER = 64 * 1_024;
const LOG = 72 * 1_024;
const LIST = 20;
const STEPS: ReadonlySet<unknown> = new Set<PrepareStep>([
  "resolving",
  "cloning",
  "checking_out",
  "submodules",
  "lfs",
  "dotfiles",
  "reading",
]);

const isStep = (value: unknown): value is PrepareStep => STEPS.has(value);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text that a database keeps; null for what is none. */
const text = (value: unknown, limit: number): string | null =>
  typeof value === "string" ? value.slice(0, limit).replaceAll("\0", "").toWellFormed() : null;

function listOf<T>(value: unknown, read: (one: unknown) => T | null): T[] | null {
  if (!Array.isArray(value)) return null;
  const all = value.slice(0, LIST).map(read);
  return all.every((one) => one !== null) ? (all as T[]) : null;
}

function readFailure(value: unknown): GitFailure | null {
  if (!isRecord(value)) return null;
  const { step, exitCode } = value;
  const said = text(value["said"], SAID);
  const near = listOf(value["near"], (name) => text(name, PATH));
  const isCode = exitCode === null || Number.isInteger(exitCode);
  return isStep(step) && isCode && said !== null && near !== null
    ? { step, exitCode: exitCode as number | null, said, near }
    : null;
}

function readDevcontainer(value: unknown): Prepared["devcontainer"] {
  if (!isRecord(value)) return null;
  const path = text(value["path"], PATH);
  const content = text(value["text"], DEVCONTAINER);
  return path === null || content === null ? null : { path, text: content };
}
