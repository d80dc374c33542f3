import { describe, expect, test } from "vitest";
import { readChecked, readPrepared, readPreparing } from "./prepared-report.ts";

const whole = {
  folder: "app",
  subfolder: "src",
  commit: "a".repeat(40),
  branch: "main",
  failure: null,
  partial: [{ step: "lfs", exitCode: 2, said: "no lfs", near: [] }],
  devcontainer: { path: ".devcontainer.json", text: "{}" },
  devcontainers: [],
  log: "$ git clone\n",
};

describe("what a job prepared", () => {
  test("is read as it was said", () => expect(readPrepared(whole)).toEqual(whole));

  test.each([
    ["nothing", null],
    ["a list", [whole]],
    ["a folder outside", { ...whole, folder: "../app" }],
    ["a hidden folder", { ...whole, folder: ".ssh" }],
    ["no commit", { ...whole, commit: "HEAD" }],
    ["a step of its own", { ...whole, partial: [{ step: "mining", exitCode: 0, said: "", near: [] }] }],
    ["half a failure", { ...whole, failure: { step: "cloning" } }],
    ["no log", { ...whole, log: undefined }],
  ])("is refused: %s", (_, said) => expect(readPrepared(said)).toBeNull());

  test("is never longer than it may be, nor anything but text", () => {
    const read = readPrepared({
      ...whole,
      log: "x".repeat(1_000_000),
      branch: "a\0\ud800",
      devcontainer: { path: "p", text: "y".repeat(1_000_000) },
    });
    expect(read?.log).toHaveLength(72 * 1024);
    expect(read?.devcontainer?.text).toHaveLength(64 * 1024);
    expect(read?.branch).toBe("a\ufffd");
  });
});

test("progress is a known step with amounts", () => {
  const said = { step: "cloning", percent: 250, doneBytes: -1, bytesPerSecond: "fast" };
  expect(readPreparing(said)).toEqual({ step: "cloning", percent: 100, doneBytes: 0, bytesPerSecond: null });
  expect(readPreparing({ ...said, step: "mining" })).toBeNull();
});

describe("what a job says that asked a host", () => {
  const failure = { step: "resolving", exitCode: 128, said: "fatal: no", near: [] };
  test.each([
    ["let in", { branch: "main", asked: true, failure: null }],
    ["let in, and nothing there", { branch: null, asked: false, failure: null }],
    ["refused", { branch: null, asked: true, failure }],
  ])("is read as it was said: %s", (_, said) => expect(readChecked(said)).toEqual(said));

  test("has no branch where it failed, and nothing that a database does not keep", () => {
    expect(readChecked({ branch: "main", asked: true, failure })?.branch).toBeNull();
    expect(readChecked({ branch: `a\0${"b".repeat(5_000)}`, asked: true, failure: null })?.branch).toHaveLength(1_023);
  });

  test.each([
    ["nothing", null],
    ["a list", []],
    ["no answer whether it was asked", { branch: "main", failure: null }],
    ["a failure that is none", { branch: null, asked: true, failure: "no" }],
    ["no failure at all", { branch: "main", asked: true }],
  ])("is refused: %s", (_, said) => expect(readChecked(said)).toBeNull());
});
