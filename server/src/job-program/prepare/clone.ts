import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GitFailure, PrepareRequest, PrepareStep } from "../prepare-protocol.ts";
import type { Git, GitEnd } from "./git.ts";
import { POINTERS } from "./git-environment.ts";
import { findProject, moveIntoPlace, temporaryIn } from "./home.ts";
import { chooseTarget, needsRefs, parseRefs, type Target } from "./refs.ts";
import { removeFolder } from "./remove-folder.ts";

/** A project in the home, or why there is none. */
export type Cloned =
  | {
      readonly folder: string;
      readonly subfolder: string | null;
      /** What comes after the checkout was not done yet, or not to its end. */
      readonly fresh: boolean;
      readonly partial: readonly GitFailure[];
    }
  | { readonly failure: GitFailure };

/** In `.git`, from before a clone gets its name until everything that belongs to it is there. */
const UNFINISHED = "codehub-unfinished";

export const failureOf = (step: PrepareStep, end: Pick<GitEnd, "exitCode" | "said">): GitFailure => ({
  step,
  exitCode: end.exitCode,
  said: end.said,
  near: [],
});

export async function getProject(git: Git, home: string, request: PrepareRequest): Promise<Cloned> {
  const found = await findProject(git, home, request.folder, request.cloneUrl);
  if (found !== null) {
    const fresh = existsSync(join(home, found, ".git", UNFINISHED));
    return { folder: found, subfolder: null, fresh, partial: [] };
  }
  const target = await resolve(git, home, request);
  if ("failure" in target) return target;
  const temporary = temporaryIn(home, request.attempt);
  const failure = await clone(git, home, request.cloneUrl, target, temporary);
  if (failure !== null) {
    await removeFolder(temporary);
    return { failure };
  }
  const left = await checkOut(git, temporary, target);
  if (left !== null && !left.keeps) {
    await removeFolder(temporary);
    return { failure: left.failure };
  }
  await writeFile(join(temporary, ".git", UNFINISHED), "");
  const folder = await moveIntoPlace(temporary, home, request.folder);
  const subfolder = "subfolder" in target ? target.subfolder : null;
  return { folder, subfolder, fresh: true, partial: left === null ? [] : [left.failure] };
}

/** From now on it is the person's, and left as it is. */
export async function markFinished(project: string): Promise<void> {
  await rm(join(project, ".git", UNFINISHED), { force: true });
}

type Found = Exclude<Target, { kind: "missing" }>;

async function resolve(git: Git, home: string, request: PrepareRequest): Promise<Found | { failure: GitFailure }> {
  const { ref, cloneUrl } = request;
  const step = "resolving";
  if (ref?.kind === "pull") {
    const args = ["ls-remote", "--exit-code", "--", cloneUrl, ref.ref];
    const end = await git.run({ step, args, cwd: home, network: true });
    // Its own code for "nothing like this there".
    if (end.exitCode === 2) return missing(`fatal: couldn't find remote ref ${ref.ref}`);
    return end.ok ? ref : { failure: failureOf(step, end) };
  }
  if (!needsRefs(ref)) return chooseTarget(ref, NO_REFS) as Found;
  const args = ["ls-remote", "--heads", "--tags", "--", cloneUrl];
  const end = await git.run({ step, args, cwd: home, network: true });
  if (!end.ok) return { failure: failureOf(step, end) };
  const target = chooseTarget(ref, parseRefs(end.output));
  if (target.kind !== "missing") return target;
  return missing(`fatal: Remote branch ${target.name} not found in upstream origin`, target.near);
}

const NO_REFS = { heads: new Set<string>(), tags: new Set<string>() };

const missing = (said: string, near: readonly string[] = []): { failure: GitFailure } => ({
  failure: { step: "resolving", exitCode: 128, said, near },
});

/** Everything but the files. Null when it worked. */
async function clone(
  git: Git,
  home: string,
  cloneUrl: string,
  target: Found,
  folder: string,
): Promise<GitFailure | null> {
  const branch = target.kind === "named" ? [`--branch=${target.name}`] : [];
  const args = ["clone", "--no-checkout", "--progress", ...branch, "--", cloneUrl, folder];
  const end = await git.run({ step: "cloning", args, cwd: home, network: true, makes: folder });
  if (!end.ok) return failureOf("cloning", end);
  const wanted =
    target.kind === "pull" ? target.ref : target.kind === "commit" ? await absent(git, folder, target.id) : null;
  if (wanted === null) return null;
  const fetching = ["fetch", "--progress", "--end-of-options", "origin", wanted];
  const fetched = await git.run({ step: "checking_out", args: fetching, cwd: folder, network: true });
  return fetched.ok ? null : failureOf("checking_out", fetched);
}

/** A commit that is on no branch has to be asked for, by its whole name. */
async function absent(git: Git, folder: string, id: string): Promise<string | null> {
  return (await git.ask(folder, "rev-parse", "--verify", "--quiet", `${id}^{commit}`)) === null ? id : null;
}

const NO_SPACE = /No space left on device|Disk quota exceeded/;

/** Null when it worked; else whether what there is may be kept. */
async function checkOut(
  git: Git,
  folder: string,
  target: Found,
): Promise<{ keeps: boolean; failure: GitFailure } | null> {
  const step = "checking_out";
  const hasHead = (await git.ask(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")) !== null;
  // Nothing was ever committed there, or its default branch is not there.
  if (target.kind === "default" && !hasHead) return null;
  const end = await git.run({
    step,
    args: [...POINTERS, "checkout", "--progress", "--force", ...whatToCheckOut(target)],
    cwd: folder,
  });
  if (end.ok) {
    if (target.kind === "pull") await follow(git, folder, target);
    return null;
  }
  const keeps = (target.kind === "default" || target.kind === "named") && !NO_SPACE.test(end.said);
  return { keeps, failure: failureOf(step, end) };
}

function whatToCheckOut(target: Found): string[] {
  switch (target.kind) {
    case "default":
    case "named":
      return ["HEAD", "--"];
    case "commit":
      return ["--detach", `${target.id}^{commit}`, "--"];
    case "pull":
      return ["-B", target.branch, "FETCH_HEAD", "--"];
  }
}

/** So that a plain `git pull` brings what was added to it. */
async function follow(git: Git, folder: string, { branch, ref }: { branch: string; ref: string }): Promise<void> {
  await git.ask(folder, "config", "--local", `branch.${branch}.remote`, "origin");
  await git.ask(folder, "config", "--local", `branch.${branch}.merge`, ref);
}
