import { setupFiles } from "#coordinator/setup-files.ts";
import { jobSurroundings } from "#coordinator/surroundings.ts";
import { gitFailure } from "#core/repository/git-words.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { HomeSetup } from "#core/rows/setup.ts";
import type { RepositorySource, SourceRef } from "#core/rows/source.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { readDevcontainer } from "#core/setup/devcontainer.ts";
import type { GitFailure, Prepared, PrepareProgress } from "#ports/jobs.ts";
import type { Progress } from "#ports/store.ts";
import { type Act, type AttemptContext, failed, requireDiskSpace, requireNoContainer } from "./context.ts";
import { requireIdentity } from "./home.ts";

/** Where every workspace has its home. */
const HOME = "/home/coder";
/** How often it is looked whether somebody still wants this. */
const LOOK_MS = 2_000;

/**
 * Gets the repository into the home. That git could not get it is committed, too: the workspace opens all the same, says
 * what went wrong and offers to try again. Only what keeps the job itself from running is a failure of the attempt.
 */
export const prepare: Act<"note"> = async (context) => {
  await requireDiskSpace(context);
  const { term, row, attempt, step } = context;
  const { source, homeVolume: volume } = row;
  if (volume === null) throw failed("no_volume");
  if (source === null) throw failed("no_source");
  await requireNoContainer(context);
  await requireIdentity(context, volume, null);
  const begunAt = term.databaseClock.now();
  const outcome = await step("repository", () => untilNotWanted(context, (signal) => run(context, source, signal)));
  if (outcome !== null) await keep(context, outcome);
  term.logger.info({ workspace: row.id, opId: attempt, failed: outcome?.failure?.step ?? null }, "repository prepared");
  return { kind: "note", homeCtx: { setup: setupOf(row, source, outcome, begunAt, term.databaseClock.now()) } };
};

/** Before the commit: what the next start reads of it is there when that one begins. */
async function keep({ term, row }: AttemptContext, { folder, devcontainer, log }: Prepared): Promise<void> {
  const { setupPolicy: policy } = term.deps;
  const plan =
    policy === undefined || devcontainer === null || folder === null
      ? null
      : readDevcontainer(devcontainer.text, {
          ...{ workspaceId: row.id, home: HOME, folder, environment: {} },
          ...{ images: policy.images, largest: policy.largest, hash: policy.hash },
        });
  await term.store.saveSetup(row.id, { version: row.setupWanted, log, plan });
}

async function run(context: AttemptContext, source: RepositorySource, signal: AbortSignal): Promise<Prepared> {
  const { term, world, row, attempt } = context;
  const { runtime } = world;
  const hostPort = runtime.hostPorts === null ? null : await term.store.reservePort(row.id, attempt, runtime.hostPorts);
  const keys = await term.deps.keyring?.open({
    ownerId: row.ownerId,
    workspaceId: row.id,
    repository: source.key,
    withKeys: row.keysAllowed,
  });
  const surroundings = jobSurroundings(term.deps.surroundings);
  const spec = {
    ...{ workspaceId: row.id, attempt, volume: row.homeVolume ?? "", ownerId: row.ownerId, hostPort, source },
    dotfiles: keys?.dotfiles?.address ?? null,
    files: [...surroundings.files, ...(keys === undefined ? [] : setupFiles(keys))],
    env: surroundings.env,
  };
  const since = term.databaseClock.now();
  const onProgress = (now: PrepareProgress): void => context.progress(progressOf(now, source, since));
  return await world.setup.prepare(spec, { onProgress, signal });
}

/** Null: somebody did not want to wait, or wants another one by now. The job is gone then. */
async function untilNotWanted(
  { term, row, signal }: AttemptContext,
  work: (signal: AbortSignal) => Promise<Prepared>,
): Promise<Prepared | null> {
  const given = new AbortController();
  const done = new AbortController();
  const looking = (async () => {
    const over = AbortSignal.any([signal, done.signal]);
    while (!over.aborted) {
      await term.deps.clock.sleep(LOOK_MS, over);
      if (over.aborted) return;
      const now = await term.store.read(row.id).catch(() => row);
      if (now === null || !isWanted(now, row)) given.abort();
    }
  })();
  try {
    return await work(AbortSignal.any([signal, given.signal]));
  } catch (error) {
    if (!given.signal.aborted || signal.aborted) throw error;
    return null;
  } finally {
    done.abort();
    await looking;
  }
}

const isWanted = (now: Workspace, begun: Workspace): boolean =>
  now.deletedAt === null && now.setupWanted === begun.setupWanted && now.setupSkipped < begun.setupWanted;

function progressOf(now: PrepareProgress, source: RepositorySource, since: number): Progress {
  const fields = { host: source.host, repository: source.key, percent: now.percent };
  return {
    ...{ step: now.step, doneBytes: now.doneBytes, doneFiles: 0, bytesPerSecond: now.bytesPerSecond },
    totalBytes: null,
    waiting: { code: now.step, fields, since },
  };
}

function setupOf(
  row: Workspace,
  source: RepositorySource,
  outcome: Prepared | null,
  begunAt: number,
  now: number,
): HomeSetup {
  const { failure = null, folder = null, subfolder = null, commit = null, branch = null, partial = [] } = outcome ?? {};
  const said = (what: GitFailure) => ({ ...gitReason(what, source), message: what.said.slice(-1_000) });
  return {
    version: row.setupWanted,
    state: outcome === null ? "skipped" : failure === null ? "ready" : "failed",
    folder: placeOf(folder, subfolder),
    ...{ commit, branch },
    failure: failure === null ? null : { ...said(failure), step: failure.step },
    notices: partial.map((what) => gitReason(what, source)),
    ...{ at: now, tookMs: now - begunAt },
  };
}

/** What an IDE is told to open: below the home, whatever a job says. */
function placeOf(folder: string | null, subfolder: string | null): string | null {
  if (folder === null || !/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(folder)) return null;
  const inside = (subfolder ?? "").split("/").filter((part) => part !== "");
  const isPlain = inside.every((part) => part !== "." && part !== ".." && !/\p{C}/u.test(part));
  return isPlain ? [folder, ...inside].join("/") : folder;
}

const STEPS = {
  resolving: "resolve",
  cloning: "clone",
  checking_out: "checkout",
  submodules: "submodules",
  lfs: "lfs",
  dotfiles: "dotfiles",
  reading: "checkout",
} as const;

/** What git said, as a reason that a person can act on. */
function gitReason({ step, exitCode, said, near }: GitFailure, { host, ref }: RepositorySource): Reason {
  const lines = said.split("\n");
  const { code, fields } = gitFailure({ step: STEPS[step], exitCode, lines, host, wanted: nameOf(ref), names: near });
  return { code, fields };
}

function nameOf(ref: SourceRef | null): string | null {
  switch (ref?.kind) {
    case "branch_or_tag":
      return ref.name;
    case "commit":
      return ref.id;
    case "path":
      return ref.path;
    case "pull":
      return ref.ref;
    case undefined:
      return null;
  }
}
