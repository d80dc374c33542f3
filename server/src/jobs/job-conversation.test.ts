import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { PROTOCOL_VERSION } from "#job-program/protocol.ts";
import { converse } from "./job-conversation.ts";
import type { JobExit, RunningJob } from "./job-launcher.ts";

const greeting = { greeting: { protocol: PROTOCOL_VERSION, bytes: "streams" } };

/** A job whose reports are written by the test, and what was done to it. */
function job(image: string | null = "codehub/job") {
  const { promise: exited, resolve: end } = Promise.withResolvers<JobExit>();
  const stderr = new PassThrough();
  const done: string[] = [];
  const running: RunningJob = {
    image,
    stderr,
    bytes: async (given) => {
      done.push(`bytes by ${given.bytes}`);
      return { input: null, output: new PassThrough() };
    },
    exited,
    kill: () => done.push("killed"),
    release: () => done.push("released"),
  };
  const says = (...reports: object[]) => stderr.write(reports.map((report) => `${JSON.stringify(report)}\n`).join(""));
  const ends = (code: number | null) => {
    stderr.end();
    end({ code });
  };
  return { running, stderr, says, ends, end, done };
}

test("a connection that breaks before the job's end is known fails the job and nothing else", async () => {
  const { running, stderr, end } = job();
  const { outcome } = converse(running, () => {});
  stderr.destroy(new Error("the engine went away"));
  // Long enough for a rejection that nobody handles to be noticed.
  await setImmediate();
  end({ code: null });
  await expect(outcome).rejects.toThrow("ended from outside");
});

test("bytes travel the way that the job greeted us with, and what was not asked for is let go at the end", async () => {
  const { running, says, ends, done } = job();
  const { bytes, outcome } = converse(running, () => {});
  says({ greeting: { protocol: PROTOCOL_VERSION, bytes: "socket" } });
  await bytes;
  says({ sealed: true });
  ends(0);
  expect(await outcome).toEqual({ sealed: true });
  expect(done).toEqual(["bytes by socket", "released"]);
});

test.each([
  ["an older program, which fails on an input that it was never sent", { failure: { reason: "ArchiveCorrupted" } }, 1],
  ["an older program, which says that it is done", { packed: {} }, 1],
  ["a newer program", { greeting: { protocol: 99, bytes: "streams" } }, 99],
])("%s is ended, and told with the image that has to be built anew", async (_, first, spoken) => {
  const { running, says, ends, done } = job();
  const { bytes, outcome } = converse(running, () => {});
  says(first, { failure: { reason: "ArchiveCorrupted", message: "cannot be decompressed" } }, { packed: {} });
  ends(0);
  const refusal = {
    reason: "ActionFailed",
    fields: { failure: "job_image_version", image: "codehub/job", spoken, expected: PROTOCOL_VERSION },
  };
  await expect(outcome).rejects.toMatchObject(refusal);
  await expect(bytes).rejects.toMatchObject(refusal);
  expect(done).toEqual(["killed", "released"]);
});

test("files that were replaced under a running server ask for a restart, not for an image", async () => {
  const { running, says, ends } = job(null);
  const { outcome } = converse(running, () => {});
  says({ greeting: { protocol: 99, bytes: "streams" } });
  ends(1);
  await expect(outcome).rejects.toMatchObject({ fields: { failure: "job_files_version" } });
});

test("a job that is killed before it greets us was ended, and is of no other version", async () => {
  const { running, stderr, ends } = job();
  const { bytes, outcome } = converse(running, () => {});
  stderr.write("exec node: no such file\n");
  ends(137);
  await expect(outcome).rejects.toThrow("ended with code 137 before it was done: exec node: no such file");
  await expect(bytes).rejects.toThrow("ended with code 137");
});

test("a failure after the greeting is the job's own", async () => {
  const { running, says, ends } = job();
  const { outcome } = converse(running, () => {});
  says(greeting, { failure: { reason: "DiskFull", message: "no room" } });
  ends(1);
  await expect(outcome).rejects.toMatchObject({ reason: "DiskFull", message: "no room" });
});
