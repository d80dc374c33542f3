import { describe, expect, test } from "vitest";
import { chooseTarget, nearNames, parseRefs } from "./refs.ts";

const refs = parseRefs(
  [
    "1111111111111111111111111111111111111111\trefs/heads/main",
    "1111111111111111111111111111111111111111\trefs/heads/feature",
    "2222222222222222222222222222222222222222\trefs/heads/feature/with/slash",
    "3333333333333333333333333333333333333333\trefs/tags/v1.0",
    "4444444444444444444444444444444444444444\trefs/tags/v1.0^{}",
    "5555555555555555555555555555555555555555\trefs/pull/12/head",
    "",
  ].join("\n"),
);

test("heads and tags are told apart, and nothing else counts", () => {
  expect([...refs.heads]).toEqual(["main", "feature", "feature/with/slash"]);
  expect([...refs.tags]).toEqual(["v1.0"]);
});

describe("what is checked out", () => {
  test.each([
    ["feature/with/slash/src/a", "feature/with/slash", "src/a"],
    ["feature/with", "feature", "with"],
    ["main", "main", null],
    ["v1.0/docs/", "v1.0", "docs"],
  ])("of the path %s", (path, name, subfolder) => {
    expect(chooseTarget({ kind: "path", path }, refs)).toEqual({ kind: "named", name, subfolder });
  });

  test("of a path that begins with a commit", () => {
    expect(chooseTarget({ kind: "path", path: "abcdef1/src" }, refs)).toEqual({
      kind: "commit",
      id: "abcdef1",
      subfolder: "src",
    });
  });

  test("by a name that is none but may be a commit's", () => {
    expect(chooseTarget({ kind: "branch_or_tag", name: "deadbeef" }, refs)).toMatchObject({ kind: "commit" });
  });

  test("is missing where neither a branch, a tag nor a commit has the name", () => {
    expect(chooseTarget({ kind: "branch_or_tag", name: "mian" }, refs)).toEqual({
      kind: "missing",
      name: "mian",
      near: ["main"],
    });
    expect(chooseTarget({ kind: "path", path: "featur/x" }, refs)).toMatchObject({ kind: "missing", name: "featur/x" });
  });
});

test("near names: the likeliest first, five at most, none that is quite another", () => {
  expect(nearNames("Main", ["main", "maint", "develop"])).toEqual(["main", "maint"]);
  expect(nearNames("slash", ["feature/with/slash", "other"])).toEqual(["feature/with/slash"]);
  expect(
    nearNames(
      "release-1",
      Array.from({ length: 20 }, (_, index) => `release-${index}`),
    ),
  ).toHaveLength(5);
  expect(nearNames("x", [])).toEqual([]);
});
