import type { Workspace } from "@codehub/contract";
import { beforeEach, expect, test } from "vitest";
import { sampleWorkspace } from "../words/sample.ts";
import { initialLiveState } from "./reducer.ts";
import { forgetAll, takeAnswer, useLive } from "./store.ts";

beforeEach(forgetAll);

test("an answer is taken in, and handed on", async () => {
  const workspace = sampleWorkspace();
  expect(await takeAnswer(Promise.resolve(workspace))).toBe(workspace);
  expect(useLive.getState().whole.get(workspace.id)).toBe(workspace);
});

test("an answer that comes after signing out is not taken in: the next person here would see it", async () => {
  const answer = Promise.withResolvers<Workspace>();
  const asked = takeAnswer(answer.promise);
  forgetAll();
  answer.resolve(sampleWorkspace());
  await asked;
  expect(useLive.getState()).toBe(initialLiveState);
});
