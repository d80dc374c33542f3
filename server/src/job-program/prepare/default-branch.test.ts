import { expect, test } from "vitest";
import { defaultBranch } from "./default-branch.ts";

const ID = "0123456789".repeat(4);

test.each([
  ["a plain one", `ref: refs/heads/main\tHEAD\n${ID}\tHEAD\n`, "main"],
  ["one with slashes", `ref: refs/heads/release/2.x\tHEAD\n${ID}\tHEAD\n`, "release/2.x"],
  ["no commit yet", "", null],
  ["a host that does not say", `${ID}\tHEAD\n`, null],
  ["a HEAD of no branch", `ref: refs/tags/v1\tHEAD\n${ID}\tHEAD\n`, null],
  ["another name than HEAD", `ref: refs/heads/main\trefs/remotes/origin/HEAD\n${ID}\tHEAD\n`, null],
])("the default branch of %s", (_, output, branch) => {
  expect(defaultBranch(output)).toBe(branch);
});
