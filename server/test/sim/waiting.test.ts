import { expect, test } from "vitest";
import type { Ms } from "#core/rows/workspace.ts";
import type { OnWaiting, StartWaiting } from "#ports/runtime.ts";
import { Stage } from "./stage.ts";

/** A runtime whose starts tell this before they begin. */
const telling = (image: (tell: OnWaiting) => Promise<void>, start: (tell: OnWaiting) => Promise<void>): Stage =>
  new Stage({
    deps: (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        ensureImage: async (imageRef, tell, signal) => {
          await image(tell);
          await deps.runtime.ensureImage(imageRef, tell, signal);
        },
        start: async (spec, signal, tell = () => undefined) => {
          await start(tell);
          return await deps.runtime.start(spec, signal, tell);
        },
      },
    }),
  });
const waits = (code: StartWaiting["code"], since: Ms, message = ""): StartWaiting => ({
  code,
  since,
  fields: message === "" ? {} : { message },
});

test("what a start waits for is kept as it was told, the last word also where it came right after another", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const stage = telling(
    async (tell) => tell({ code: "pulling", fields: { done_bytes: 5, total_bytes: 10 }, since: 1 }),
    async (tell) => {
      tell(waits("scheduling", 2));
      tell(waits("no_node", 3, "0/3 nodes are available"));
      await released;
    },
  );
  const id = await stage.create("RUNNING");
  const told = () => stage.cluster.db.progress.get(id);
  await stage.until(() => told() !== undefined);
  expect(told()).toMatchObject({
    step: "pulling",
    doneBytes: 5,
    totalBytes: 10,
    waiting: { code: "pulling", since: 1 },
  });
  await stage.pass(5);
  expect(told()).toEqual({
    ...{ step: "no_node", doneBytes: 0, totalBytes: null, doneFiles: 0, bytesPerSecond: null },
    waiting: waits("no_node", 3, "0/3 nodes are available"),
  });
  release();
  await stage.reaches(id, "RUNNING");
  expect(["no_node", "answering"]).toContain(told()?.waiting?.code);
});

test("a start that waits for nothing tells nothing", async () => {
  const nothing = async (): Promise<void> => {};
  const stage = telling(nothing, nothing);
  const id = await stage.create("RUNNING");
  await stage.reaches(id, "RUNNING");
  expect(stage.cluster.db.progress.get(id)).toBeUndefined();
});

test("when the container has begun, the IDE is what is waited for", async () => {
  const stage = telling(
    async () => {},
    async (tell) => tell(waits("attaching", 1)),
  );
  const codes = new Set<string | undefined>();
  // Each IDE takes a time of its own to answer; the line is saved when the second is over.
  for (let index = 0; index < 4; index++) {
    const id = await stage.create("RUNNING");
    // Of somebody who has as many running as one may have.
    if (stage.row(id).desiredState !== "RUNNING") continue;
    await stage.reaches(id, "RUNNING");
    codes.add(stage.cluster.db.progress.get(id)?.waiting?.code);
  }
  expect(codes).toContain("answering");
});
