import type { RepositoryRef } from "@codehub/contract";
import { expect, test } from "vitest";
import { badgeMarkdown, isAboutKeys, pathOfKey, refWords, shortCommit } from "./repository-words.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";

test.each<[RepositoryRef | null, string]>([
  [null, "its default branch"],
  [{ kind: "branch_or_tag", name: "feature/x" }, "the branch or tag feature/x"],
  [{ kind: "commit", id: commit }, "the commit 0123456789"],
  [{ kind: "path", path: "feature/x/src" }, "the branch or tag and the folder in feature/x/src"],
  [{ kind: "pull", ref: "refs/pull/12/head", branch: "pr-12" }, "the pull request 12, as the branch pr-12"],
  [{ kind: "pull", ref: "refs/merge-requests/5/head", branch: "mr-5" }, "the merge request 5, as the branch mr-5"],
])("%o is %s", (ref, words) => expect(refWords(ref)).toBe(words));

test("a commit is short where it is whole, and a branch stays a branch", () => {
  expect(shortCommit(commit)).toBe("0123456789");
  expect(shortCommit("main")).toBe("main");
});

test("a repository is told from its host", () => {
  expect(pathOfKey({ host: "git.example.com", key: "git.example.com/team/project" })).toBe("team/project");
});

test("some failures are about keys", () => {
  expect(["key_unknown", "needs_sign_in", "not_found", "unreachable"].map(isAboutKeys)).toEqual([
    ...[true, true, false, false],
  ]);
});

const origin = "https://codehub.example.com";
const badge = (address: string, clone_url = "https://git.example.com/team/project.git") =>
  badgeMarkdown(origin, { address, clone_url });

test("the badge leads to the dialog with what was pasted", () => {
  expect(badge("https://git.example.com/team/project/tree/main")).toBe(
    "[![Open in CodeHub](https://codehub.example.com/badge.svg)](https://codehub.example.com/new?repo=https%3A%2F%2Fgit.example.com%2Fteam%2Fproject%2Ftree%2Fmain)",
  );
});

test("the badge of a pasted command has the address only, and nothing in it ends the link", () => {
  expect(badge("git clone https://git.example.com/team/project.git")).toContain(
    "?repo=https%3A%2F%2Fgit.example.com%2Fteam%2Fproject.git)",
  );
  const odd = badge("https://git.example.com/team/a)(b'");
  expect(odd.slice(odd.indexOf("?repo="), -1)).not.toMatch(/[()' ]/);
  expect(new URL(odd.slice(odd.lastIndexOf("(") + 1, -1)).searchParams.get("repo")).toBe(
    "https://git.example.com/team/a)(b'",
  );
});
