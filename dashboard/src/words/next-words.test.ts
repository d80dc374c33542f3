import { catalogue, type Next, type Progress } from "@codehub/contract";
import { expect, test } from "vitest";
import { nextWords, nowWords, progressWords, shareOf, waitingWords } from "./next-words.ts";
import { sampleWorkspace } from "./sample.ts";
import { currentStep } from "./words.ts";

const now = Date.parse("2026-11-15T10:00:00Z");
const next = (kind: Next["kind"], at: string | null, code = "stays", fields = {}) =>
  sampleWorkspace({ next: { kind, operation: null, at, code, fields, summary: "not read" } });
const progress = (over: Partial<Progress>): Progress => ({
  stage: "upload",
  bytes_done: 0,
  bytes_total: null,
  files_done: 0,
  files_total: null,
  rate_bytes_per_second: null,
  eta_seconds: null,
  updated_at: "2026-11-15T10:00:00Z",
  ...over,
});

test("what happens next counts down by the page's clock, and says so when it is due", () => {
  expect(nextWords(next("standby", "2026-11-15T10:08:00Z"), now)).toBe("Standby in 8 min unless you use it");
  expect(nextWords(next("standby", "2026-11-15T09:59:00Z"), now)).toBe("Standby any moment unless you use it");
  expect(nextWords(next("retry", "2026-11-15T10:00:30Z"), now)).toBe("Tries again in 30 s");
  expect(nextWords(next("needs_person", null, "DiskFull"), now)).toBe(catalogue.errors.DiskFull.remedy);
  expect(nextWords(next("operation_next", now.toString(), "request_next", { request: "restart" }), now)).toBe(
    "A restart was requested and begins with the next look at the workspace.",
  );
  expect(nextWords(next("nothing", null), now)).toBe("");
});

test("a share is known only with a total", () => {
  expect(shareOf({ progress: null })).toBeNull();
  expect(shareOf({ progress: progress({ bytes_done: 5 }) })).toBeNull();
  expect(shareOf({ progress: progress({ bytes_done: 25, bytes_total: 100 }) })).toBe(0.25);
  expect(shareOf({ progress: progress({ bytes_done: 150, bytes_total: 100 }) })).toBe(1);
  expect(shareOf({ progress: progress({ files_done: 1, files_total: 2, bytes_total: 0 }) })).toBe(0.5);
});

test("progress says as much as is known and fits its place", () => {
  const workspace = sampleWorkspace({
    progress: progress({ bytes_done: 40e6, bytes_total: 100e6, rate_bytes_per_second: 20e6, eta_seconds: 3 }),
  });
  expect(progressWords(workspace, "page")).toBe("40 % · 40 MB of 100 MB · 20 MB/s · 3 s left");
  expect(progressWords(workspace, "row")).toBe("40 % · 20 MB/s · 3 s left");
  expect(progressWords(sampleWorkspace({ progress: progress({ bytes_done: 7e6 }) }), "row")).toBe("7 MB");
});

test("what a start waits for is said in the same line of a row, and by itself on the page", () => {
  const waiting = { code: "pulling", fields: {}, detail: "Pulling fs layer", message: "not read", since: "not read" };
  const workspace = sampleWorkspace({
    operation: "STARTING",
    progress: progress({ bytes_done: 40e6, bytes_total: 100e6, waiting }),
  });
  expect(waitingWords(workspace)).toBe("The image of the workspace is being pulled");
  expect(progressWords(workspace, "row")).toBe("The image of the workspace is being pulled · 40 %");
  expect(progressWords(workspace, "page")).toBe("40 % · 40 MB of 100 MB");
  expect(currentStep(workspace)).toBe(1);
  const runs = sampleWorkspace({
    operation: "STARTING",
    progress: progress({ waiting: { ...waiting, code: "answering" } }),
  });
  expect(currentStep(runs)).toBe(2);
  expect(waitingWords(sampleWorkspace({ progress: null }))).toBe("");
});

test("a repository's percent is said once, fills the bar and marks the step", () => {
  const fields = { repository: "git.example.com/team/project", host: "git.example.com", percent: 42 };
  const waiting = { code: "cloning", fields, detail: "", message: "not read", since: "not read" };
  const of = (stage: string) =>
    sampleWorkspace({
      operation: "PREPARING",
      desired_state: "RUNNING",
      progress: progress({ stage, bytes_done: 7e6, rate_bytes_per_second: 2e6, waiting: { ...waiting, code: stage } }),
    });
  const cloning = of("cloning");
  expect(shareOf(cloning)).toBe(0.42);
  expect(progressWords(cloning, "row")).toBe("42 % · 2 MB/s");
  expect(progressWords(cloning, "page")).toBe("7 MB · 2 MB/s");
  expect(["resolving", "cloning", "checking_out", "lfs", "reading"].map((stage) => currentStep(of(stage)))).toEqual([
    0, 1, 2, 3, 4,
  ]);
  expect(currentStep(of("dotfiles"))).toBe(3);
});

test("the present line names the request when one operation is not the whole way", () => {
  expect(nowWords(sampleWorkspace({ phase: "ARCHIVED", operation: "RESTORING", desired_state: "RUNNING" }))).toBe(
    "Restoring the home, to be running",
  );
  expect(nowWords(sampleWorkspace({ phase: "STANDBY", operation: "STARTING", desired_state: "RUNNING" }))).toBe(
    "Starting",
  );
  expect(nowWords(sampleWorkspace({ phase: "STANDBY", desired_state: "ARCHIVED" }))).toBe("Requested to be archived");
});
