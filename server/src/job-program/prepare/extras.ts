import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { GitFailure, PrepareStep } from "../prepare-protocol.ts";
import { failureOf } from "./clone.ts";
import type { Git } from "./git.ts";
import { POINTERS } from "./git-environment.ts";
import { hasRemote, temporaryIn } from "./home.ts";
import { removeFolder } from "./remove-folder.ts";

/** Those of a repository that names some. Null when all is well: one that fails leaves the others as they are. */
export async function getSubmodules(
  git: Git,
  project: string,
  step: PrepareStep = "submodules",
): Promise<GitFailure | null> {
  if (!existsSync(join(project, ".gitmodules"))) return null;
  const args = [...POINTERS, "submodule", "update", "--init", "--recursive", "--progress"];
  const end = await git.run({ step, args, cwd: project, network: true });
  return end.ok ? null : failureOf(step, end);
}

/**
 * Files that git-lfs keeps elsewhere; until now there is a pointer in the place of each. The filter is set up only once they
 * are there: with it, and without them, every command of git would fail.
 */
export async function getLargeFiles(git: Git, project: string): Promise<GitFailure | null> {
  const step = "lfs";
  const listed = await git.ask(project, "ls-files", "--", ":(attr:filter=lfs)");
  if (listed === null || listed === "") return null;
  const count = listed.split("\n").length;
  if ((await git.ask(project, "lfs", "version")) === null) {
    const said = `git-lfs is not installed here: ${count} ${count === 1 ? "file is a pointer" : "files are pointers"} to what it keeps`;
    return { step, exitCode: null, said, near: [] };
  }
  const end = await git.run({ step, args: ["lfs", "pull"], cwd: project, network: true });
  if (!end.ok) return failureOf(step, end);
  const isSetUp = (await git.ask(project, "config", "--get", "filter.lfs.process")) !== null;
  if (!isSetUp) await git.ask(project, "lfs", "install", "--local", "--skip-repo");
  return null;
}

/** Into `~/.dotfiles`, or up to date there. */
export async function getDotfiles(
  git: Git,
  home: string,
  attempt: string,
  address: string,
): Promise<GitFailure | null> {
  const step = "dotfiles";
  const folder = join(home, ".dotfiles");
  if (existsSync(folder)) {
    if (!(await hasRemote(git, folder, address))) {
      return { step, exitCode: null, said: "~/.dotfiles is there already and is of another repository", near: [] };
    }
    const end = await git.run({ step, args: ["pull", "--ff-only", "--progress"], cwd: folder, network: true });
    return end.ok ? await getSubmodules(git, folder, step) : failureOf(step, end);
  }
  const temporary = temporaryIn(home, attempt, "-dotfiles");
  const args = ["clone", "--progress", "--", address, temporary];
  const end = await git.run({ step, args, cwd: home, network: true, makes: temporary });
  if (!end.ok) {
    await removeFolder(temporary);
    return failureOf(step, end);
  }
  const submodules = await getSubmodules(git, temporary, step);
  await rename(temporary, folder);
  return submodules;
}
