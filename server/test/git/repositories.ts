import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Nothing of this machine's own settings, nobody asked, and the same commits every time. */
export const gitEnvironment: Readonly<Record<string, string>> = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
  GIT_CONFIG_KEY_1: "protocol.file.allow",
  GIT_CONFIG_VALUE_1: "always",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LFS_SKIP_SMUDGE: "1",
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.com",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.com",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  LC_ALL: "C",
};

export function gitAvailable(): boolean {
  const available = spawnSync("git", ["--version"]).status === 0;
  if (!available && process.env["CI"] !== undefined) throw new Error("CI needs git: apt-get install git");
  if (!available) console.log("Tests with a Git server are skipped: no git. Enable them with apt-get install git.");
  return available;
}

/** Runs git for a test; answers what it wrote. */
export const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...gitEnvironment },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

export interface RepositoryPlan {
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Each with a file of its own that names it. */
  readonly branches?: readonly string[];
  readonly tags?: readonly string[];
  /** What hosts publish of pull requests, for example refs/pull/12/head. */
  readonly refs?: readonly string[];
  /** Paths and the addresses to get them from, as they are to be written down. */
  readonly submodules?: Readonly<Record<string, string>>;
}

export interface MadeRepository {
  readonly folder: string;
  /** Of the default branch, which is `main`. */
  readonly commit: string;
}

/** A bare repository `root/name`, as a host keeps it. */
export function makeRepository(root: string, name: string, plan: RepositoryPlan = {}): MadeRepository {
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(path.join(tmpdir(), "codehub-repository-"));
  const commitAll = (what: string): void => {
    git(work, "add", "--all");
    git(work, "commit", "--quiet", "--allow-empty", "--message", what);
  };
  try {
    git(work, "init", "--quiet", "--initial-branch=main");
    for (const [file, content] of Object.entries(plan.files ?? { "README.md": "# A project\n" })) {
      mkdirSync(path.dirname(path.join(work, file)), { recursive: true });
      writeFileSync(path.join(work, file), content);
    }
    addSubmodules(work, plan.submodules ?? {});
    commitAll("First");
    for (const ref of [...(plan.branches ?? []).map((branch) => `refs/heads/${branch}`), ...(plan.refs ?? [])]) {
      git(work, "checkout", "--quiet", "--detach", "main");
      writeFileSync(path.join(work, "which.txt"), `${ref}\n`);
      commitAll(ref);
      git(work, "update-ref", ref, "HEAD");
    }
    for (const tag of plan.tags ?? []) git(work, "tag", "--annotate", "--message", tag, tag, "main");
    git(work, "checkout", "--quiet", "main");
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main");
    git(work, "push", "--quiet", folder, "refs/*:refs/*");
    for (const key of ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant", "http.receivepack"])
      git(folder, "config", key, "true");
    return { folder, commit: git(folder, "rev-parse", "refs/heads/main") };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Written down without being fetched: a missing one is what a test may want. */
function addSubmodules(work: string, submodules: Readonly<Record<string, string>>): void {
  for (const [at, url] of Object.entries(submodules)) {
    git(work, "config", "--file", ".gitmodules", `submodule.${at}.path`, at);
    git(work, "config", "--file", ".gitmodules", `submodule.${at}.url`, url);
    git(work, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},${at}`);
    mkdirSync(path.join(work, at), { recursive: true });
  }
}
