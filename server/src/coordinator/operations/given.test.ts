import { describe, expect, it } from "vitest";
import { readDevcontainer } from "#core/setup/devcontainer.ts";
import type { AttemptContext } from "./context.ts";
import { givenTo } from "./given.ts";

const POLICY = {
  images: ["ours:1", "node:*"],
  defaultImage: "ours:1",
  largest: { cpus: 4, memoryBytes: 4e9, storageBytes: 4e9 },
  hash: (text: string) => String(text.length),
};

/** The image of a start whose project names one. */
async function imageFor({ allowed, chosen = "ours:1" }: { allowed: boolean; chosen?: string }): Promise<string> {
  const plan = readDevcontainer('{"image": "node:24"}', {
    ...{ workspaceId: "w", home: "/home/coder", folder: "app", environment: {} },
    ...POLICY,
  });
  const takes = { files: false, prelude: false, size: false };
  const context = {
    world: { runtime: { takes } },
    row: { id: "w", imageRef: chosen, homeCtx: { setup: { state: "ready", version: 1, folder: "app" } } },
    term: { deps: { setupPolicy: POLICY }, store: { readSetup: async () => ({ version: 1, plan, allowed }) } },
  };
  return (await givenTo(context as unknown as AttemptContext)).imageRef;
}

describe("the image that a project names", () => {
  it("is taken when its owner has agreed to it, and not before: what is in it runs with the owner's keys", async () => {
    expect(await imageFor({ allowed: false })).toBe("ours:1");
    expect(await imageFor({ allowed: true })).toBe("node:24");
  });

  it("does not take the place of one that somebody chose", async () => {
    expect(await imageFor({ allowed: true, chosen: "node:22" })).toBe("node:22");
  });
});
