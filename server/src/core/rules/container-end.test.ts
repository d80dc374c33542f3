import { describe, expect, it } from "vitest";
import type { Fields } from "#core/rows/meaning.ts";
import { type ContainerSeen, type Observation, seen, unseen } from "#core/rows/observation.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { workspace } from "../../../test/fixtures/workspace.ts";
import { endSeen, takenAway } from "./container-end.ts";
import { observe } from "./transitions.ts";

const endpoint = { containerId: "c", attempt: "a", address: { kind: "unix", path: "/s" } } as const;
const ready = { status: true, reason: "ContainerRunning", message: "", lastTransitionTime: 0 };
const there = { status: true, reason: "VolumeFound", message: "", lastTransitionTime: 0 };
const row = (over: Partial<Workspace> = {}): Workspace =>
  workspace({
    phase: "RUNNING",
    desiredState: "RUNNING",
    homeVolume: "v",
    endpoint,
    conditions: { "infra.container_ready": ready, "infra.container_present": ready, "storage.volume_ready": there },
    ...over,
  });
const container = (over: Partial<ContainerSeen> = {}): ContainerSeen => ({
  ...{ id: "c", workspaceId: "w", volume: "v", attempt: "a", address: null },
  ...{ state: "exited", exitCode: null },
  ...over,
});
const look = (...containers: ContainerSeen[]): Observation => ({
  ...{ at: 9, volume: seen(true), archive: null },
  containers: seen(containers),
});
const ended = (code: string, fields: Fields = {}) => ({ code, fields });

describe("what the engine took away rests instead of being started again", () => {
  it.each([
    ["evicted", true],
    ["preempted", true],
    ["drained", true],
    ["node_gone", true],
    ["out_of_memory", false],
    ["not_startable", false],
  ])("%s: %s", (code, rests) => {
    const why = ended(code, { message: "words" });
    expect(takenAway(row(), look(container({ ended: why })))).toEqual(rests ? why : null);
    // While it is still running, but on its way out, that is as certain.
    expect(takenAway(row(), look(container({ state: "running", ended: why })))).toEqual(rests ? why : null);
  });

  it.each<[string, Partial<Workspace>, Observation]>([
    ["a program that ended by itself", {}, look(container({ exitCode: 1 }))],
    ["one that is not the recorded one", {}, look(container({ id: "other", ended: ended("drained") }))],
    ["one of another attempt", {}, look(container({ attempt: "b", ended: ended("drained") }))],
    ["nothing seen", {}, { ...look(), containers: unseen("away") }],
    ["none there", {}, look()],
    ["standby requested already", { desiredState: "STANDBY" }, look(container({ ended: ended("drained") }))],
    ["deleted", { deletedAt: 1 }, look(container({ ended: ended("drained") }))],
    ["an operation under way", { operation: "STOPPING" }, look(container({ ended: ended("drained") }))],
  ])("not %s", (_, over, observation) => {
    expect(takenAway(row(over), observation)).toBeNull();
  });
});

describe("why the container is not there any more", () => {
  it("is remembered with the engine's own words apart, once", () => {
    const seenNow = look(container({ ended: ended("drained", { message: "words" }) }));
    const end = endSeen(row(), seenNow, 9);
    expect(end).toEqual({ code: "drained", fields: {}, message: "words", at: 9 });
    expect(endSeen(row({ homeCtx: { ...row().homeCtx, ended: end } }), seenNow, 10)).toBeNull();
  });

  it("is its exit code where its program ended by itself, unless that was asked for", () => {
    const seenNow = look(container({ exitCode: 7 }));
    expect(endSeen(row(), seenNow, 9)).toEqual({ code: "exited", fields: { exit_code: 7 }, message: "", at: 9 });
    expect(endSeen(row({ desiredState: "STANDBY" }), seenNow, 9)).toBeNull();
    expect(endSeen(row(), look(container({ state: "running" })), 9)).toBeNull();
  });

  it("stands in the condition and in the line of history", () => {
    const now = 9;
    const before = row({ rowVersion: 3 });
    const seenNow = look(container({ ended: ended("out_of_memory", { message: "words" }) }));
    const mutation = observe({ row: before, archives: [], volumes: [], now }, seenNow, 3);
    expect(mutation?.patch.phase).toBe("STANDBY");
    expect(mutation?.patch.conditions?.["infra.container_ready"]).toMatchObject({
      reason: "ContainerExited",
      fields: { ended: "out_of_memory" },
      message: "words",
    });
    expect(mutation?.patch.homeCtx).toMatchObject({ exits: [9], ended: { code: "out_of_memory", at: 9 } });
    expect(mutation?.events).toMatchObject([
      { kind: "phase_changed", to: "STANDBY", details: { ended: "out_of_memory", message: "words" } },
    ]);
  });
});
