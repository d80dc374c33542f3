import { existsSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { GitFailure, PrepareProgress, PrepareRequest, PrepareResult } from "../prepare-protocol.ts";
import { JobFailure } from "../protocol.ts";
import { type Cloned, getProject, markFinished } from "./clone.ts";
import { readDevcontainer } from "./devcontainer.ts";
import { getDotfiles, getLargeFiles, getSubmodules } from "./extras.ts";
import { Git } from "./git.ts";
import { gitSettings } from "./git-environment.ts";
import { requireVersion } from "./git-version.ts";
import { makeKnownHostsFolder, removeLeftovers } from "./home.ts";
import { ADDRESS } from "./plain-address.ts";
import { secretsIn } from "./secrets.ts";
import type { Agent } from "./ssh-agent.ts";
import { startAgent } from "./ssh-agent.ts";
import { Transcript } from "./transcript.ts";

export interface PrepareSurroundings {
  readonly home: string;
  /** What was given in memory; null where nothing was. */
  readonly files: string | null;
  readonly onProgress: (progress: PrepareProgress) => void;
  readonly signal: AbortSignal;
}

/** Everything, step by step. What git could not do is told in the result; what rejects is that this could not do its work. */
export async function prepare(request: PrepareRequest, surroundings: PrepareSurroundings): Promise<PrepareResult> {
  const { home, files, onProgress, signal } = surroundings;
  requirePlain(request);
  const transcript = new Transcript(secretsIn(files));
  const agent = await startAgent(files).catch((error: Error) => {
    // Most addresses need no key. Where one does, its host says so.
    transcript.add(`codehub: ${error.message}`);
    return null;
  });
  try {
    await removeLeftovers(home);
    await makeKnownHostsFolder(home);
    const settings = gitSettings(home, files, agent?.socket ?? null, request.cloneUrl);
    const git = new Git({ settings, transcript, onProgress, signal });
    await requireVersion(git, home);
    const project = await getProject(git, home, request);
    const rest = "failure" in project ? null : await finish(git, home, project);
    const dotfiles = await dotfilesOf(request, surroundings, git, agent);
    const found = "failure" in project ? NOTHING : await read(surroundings, git, join(home, project.folder));
    const partial = [...(rest ?? []), dotfiles, found.problem].filter((failure) => failure !== null);
    return {
      folder: "failure" in project ? null : project.folder,
      subfolder:
        "failure" in project ? null : subfolderIn(join(home, project.folder), meantIn(request, project, found)),
      commit: found.commit,
      branch: found.branch,
      failure: "failure" in project ? project.failure : null,
      partial,
      devcontainer: found.devcontainer,
      devcontainers: found.devcontainers,
      log: transcript.text(),
    };
  } finally {
    agent?.end();
  }
}

type Project = Exclude<Cloned, { failure: GitFailure }>;

/** What may fail without taking the project away. What was found whole is left as it is. */
async function finish(git: Git, home: string, project: Project): Promise<GitFailure[]> {
  const path = join(home, project.folder);
  if (!project.fresh) return [];
  const failures = [...project.partial, await getSubmodules(git, path), await getLargeFiles(git, path)];
  await markFinished(path);
  return failures.filter((failure) => failure !== null);
}

async function dotfilesOf(
  { dotfiles, attempt }: PrepareRequest,
  { home, files }: PrepareSurroundings,
  git: Git,
  agent: Agent | null,
): Promise<GitFailure | null> {
  if (dotfiles === null) return null;
  return await getDotfiles(
    git.with(gitSettings(home, files, agent?.socket ?? null, dotfiles)),
    home,
    attempt,
    dotfiles,
  );
}

const NOTHING = { commit: null, branch: null, devcontainer: null, devcontainers: [], problem: null };

async function read({ onProgress }: PrepareSurroundings, git: Git, path: string): Promise<typeof NOTHING | Read> {
  onProgress({ step: "reading", percent: null, doneBytes: 0, bytesPerSecond: null });
  return {
    commit: await git.ask(path, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"),
    branch: await git.ask(path, "symbolic-ref", "--quiet", "--short", "HEAD"),
    ...(await readDevcontainer(path)),
  };
}

type Read = Awaited<ReturnType<typeof readDevcontainer>> & {
  readonly commit: string | null;
  readonly branch: string | null;
};

/** Of a project that was there already, only its branch tells where in the path it ends. */
function meantIn(
  { ref }: PrepareRequest,
  { subfolder }: Project,
  { branch }: { branch: string | null },
): string | null {
  if (subfolder !== null || ref?.kind !== "path" || branch === null) return subfolder;
  return ref.path.startsWith(`${branch}/`) ? ref.path.slice(branch.length + 1) : null;
}

function subfolderIn(project: string, subfolder: string | null): string | null {
  if (subfolder === null || !existsSync(join(project, subfolder))) return null;
  const inside = realpathSync(join(project, subfolder)).startsWith(`${realpathSync(project)}${sep}`);
  return inside ? subfolder : null;
}

const PLAIN_FOLDER = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const PLAIN_REF = /^refs\/[A-Za-z0-9._/-]+$/;
const PLAIN_BRANCH = /^[A-Za-z0-9_][A-Za-z0-9._/-]*$/;
const COMMIT = /^[0-9a-f]{4,64}$/i;

/** Whoever asks has checked all this, more closely; what would be an option or another way out never gets to git. */
function requirePlain({ folder, ref, attempt, cloneUrl, dotfiles }: PrepareRequest): void {
  const isPlain =
    PLAIN_FOLDER.test(folder) &&
    /^[A-Za-z0-9-]+$/.test(attempt) &&
    ADDRESS.test(cloneUrl) &&
    (dotfiles === null || ADDRESS.test(dotfiles)) &&
    (ref?.kind !== "pull" || (PLAIN_REF.test(ref.ref) && PLAIN_BRANCH.test(ref.branch))) &&
    (ref?.kind !== "commit" || COMMIT.test(ref.id));
  if (!isPlain)
    throw new JobFailure(
      "ActionFailed",
      "the job was asked for something that is not an address, a folder or a commit",
    );
}
