import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { outcomeOf } from "./job-conversation.ts";
import type { JobExit } from "./job-launcher.ts";

test("a connection that breaks before the job's end is known fails the job and nothing else", async () => {
  const { promise: exited, resolve: end } = Promise.withResolvers<JobExit>();
  const stderr = new PassThrough();
  const job = { stdin: new PassThrough(), stdout: new PassThrough(), stderr, exited, kill: () => {} };
  const outcome = outcomeOf(job, () => {});
  stderr.destroy(new Error("the engine went away"));
  // Long enough for a rejection that nobody handles to be noticed.
  await setImmediate();
  end({ code: null });
  await expect(outcome).rejects.toThrow("ended from outside");
});
