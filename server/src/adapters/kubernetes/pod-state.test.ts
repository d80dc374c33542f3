import { describe, expect, it } from "vitest";
import type { ContainerStatus, Pod, PodStatus } from "./objects.ts";
import { refined, startOf, stateOf } from "./pod-state.ts";

const pod = (status: PodStatus): Pod => ({
  metadata: { name: "ws-1", uid: "u", resourceVersion: "1" },
  spec: {},
  status,
});
const ide = (state: NonNullable<ContainerStatus["state"]>): ContainerStatus[] => [{ name: "ide", state }];
const scheduled = [{ type: "PodScheduled", status: "True" }];
const target = (reason: string) => [{ type: "DisruptionTarget", status: "True", reason, message: "words" }];

describe("whether the program of a pod runs, and why it ended", () => {
  const table: readonly [string, PodStatus, ReturnType<typeof stateOf>][] = [
    ["nothing known yet", {}, { state: "created", exitCode: null }],
    ["waiting", { phase: "Pending", containerStatuses: ide({ waiting: {} }) }, { state: "created", exitCode: null }],
    ["running", { phase: "Running", containerStatuses: ide({ running: {} }) }, { state: "running", exitCode: null }],
    [
      "ended by itself, while the relay is still being stopped",
      { phase: "Running", containerStatuses: ide({ terminated: { exitCode: 7, reason: "Error" } }) },
      { state: "exited", exitCode: 7 },
    ],
    [
      "out of memory",
      { phase: "Failed", containerStatuses: ide({ terminated: { exitCode: 137, reason: "OOMKilled" } }) },
      { state: "exited", exitCode: 137, ended: { code: "out_of_memory", fields: {} } },
    ],
    [
      "evicted, with nothing left of the container",
      { phase: "Failed", reason: "Evicted", message: "the node was low on resource: ephemeral-storage" },
      {
        state: "exited",
        exitCode: null,
        ended: { code: "evicted", fields: { message: "the node was low on resource: ephemeral-storage" } },
      },
    ],
    [
      "preempted",
      {
        phase: "Failed",
        conditions: target("PreemptionByScheduler"),
        containerStatuses: ide({ terminated: { exitCode: 143 } }),
      },
      { state: "exited", exitCode: 143, ended: { code: "preempted", fields: { message: "words" } } },
    ],
    [
      "drained",
      {
        phase: "Failed",
        conditions: target("EvictionByEvictionAPI"),
        containerStatuses: ide({ terminated: { exitCode: 0 } }),
      },
      { state: "exited", exitCode: 0, ended: { code: "drained", fields: { message: "words" } } },
    ],
    [
      "the node was switched off and came back",
      { phase: "Failed", containerStatuses: ide({ terminated: { exitCode: 255, reason: "Unknown" } }) },
      { state: "exited", exitCode: 255, ended: { code: "node_gone", fields: {} } },
    ],
    [
      "its node is lost",
      { phase: "Failed", reason: "NodeLost" },
      { state: "exited", exitCode: null, ended: { code: "node_gone", fields: {} } },
    ],
    // The node does not answer: the object says what it said last, and the pod may still write.
    [
      "a node that does not answer",
      { phase: "Running", containerStatuses: ide({ running: {} }) },
      { state: "running", exitCode: null },
    ],
  ];
  it.each(table)("%s", (_, status, expected) => {
    expect(stateOf(pod(status))).toEqual(expected);
  });

  it("is being taken away from the moment its removal is certain, and not when somebody only thinks of it", () => {
    const running = { phase: "Running", containerStatuses: ide({ running: {} }) } as const;
    const going = (status: PodStatus): Pod => {
      const { metadata, ...rest } = pod(status);
      return { ...rest, metadata: { ...metadata, deletionTimestamp: "2026-11-17T12:00:00Z" } };
    };
    const drained = { ...running, conditions: target("EvictionByEvictionAPI") };
    expect(stateOf(going(drained))).toEqual({
      state: "running",
      exitCode: null,
      ended: { code: "drained", fields: { message: "words" } },
    });
    expect(stateOf(pod(drained))).toEqual({ state: "running", exitCode: null });
    expect(stateOf(going(running))).toEqual({ state: "running", exitCode: null });
  });
});

describe("how far a start has come", () => {
  const failing: readonly [string, string, "ImagePullFailed" | "ActionFailed"][] = [
    ["ErrImagePull", "not found", "ImagePullFailed"],
    ["ImagePullBackOff", "Back-off pulling image", "ImagePullFailed"],
    ["InvalidImageName", "couldn't parse image name", "ImagePullFailed"],
    ["CreateContainerConfigError", "secret not found", "ActionFailed"],
    ["RunContainerError", "no such file", "ActionFailed"],
  ];
  it.each(failing)("%s is a failure at once, with the kubelet's words", (reason, message, expected) => {
    const verdict = startOf(pod({ conditions: scheduled, containerStatuses: ide({ waiting: { reason, message } }) }));
    expect(verdict).toMatchObject({ kind: "failed", failure: { reason: expected } });
    expect(verdict.kind === "failed" && verdict.failure.message).toContain(message);
  });

  it("a step of ours that failed says why", () => {
    const steps = [{ name: "identity", state: { terminated: { exitCode: 65, message: "not the home\n" } } }];
    expect(startOf(pod({ phase: "Failed", initContainerStatuses: steps }))).toMatchObject({
      kind: "failed",
      failure: { reason: "ActionFailed", message: "not the home" },
    });
  });

  it("has begun when the program runs and there is an address; ended is told apart", () => {
    const running = { phase: "Running", containerStatuses: ide({ running: {} }) } as const;
    expect(startOf(pod({ ...running, podIP: "10.0.0.1" }))).toEqual({ kind: "started", host: "10.0.0.1" });
    expect(startOf(pod({ ...running, conditions: scheduled }))).toMatchObject({ kind: "waiting" });
    expect(startOf(pod({ phase: "Failed", containerStatuses: ide({ terminated: { exitCode: 1 } }) }))).toEqual({
      kind: "ended",
    });
  });

  it("waits for room, for the disk, for the steps before it, and never gives up on these by itself", () => {
    const unschedulable = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/2 nodes" }];
    const wait = (status: PodStatus) => startOf(pod({ phase: "Pending", ...status }));
    expect(wait({ conditions: unschedulable })).toEqual({
      kind: "waiting",
      wait: { code: "no_node", message: "0/2 nodes" },
    });
    expect(wait({})).toEqual({ kind: "waiting", wait: { code: "scheduling", message: "" } });
    expect(wait({ conditions: scheduled })).toEqual({ kind: "waiting", wait: { code: "attaching", message: "" } });
    const begun = [{ name: "identity", state: { running: {} } }];
    expect(wait({ conditions: scheduled, initContainerStatuses: begun })).toMatchObject({
      wait: { code: "preparing" },
    });
  });

  it("takes the words of the last event, unless they are older than what is seen", () => {
    const attaching = { code: "attaching", message: "" } as const;
    const said = (reason: string, message = "words") => refined(attaching, { reason, message });
    const elsewhere = 'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node';
    expect(said("FailedAttachVolume", elsewhere)).toEqual({ code: "disk_elsewhere", message: elsewhere });
    expect(said("FailedAttachVolume")).toEqual({ code: "disk_refused", message: "words" });
    expect(said("FailedMount")).toEqual({ code: "disk_refused", message: "words" });
    expect(said("Pulling")).toEqual({ code: "pulling", message: "words" });
    expect(said("FailedScheduling")).toEqual(attaching);
    expect(said("Scheduled")).toEqual(attaching);
    expect(refined(attaching, null)).toEqual(attaching);
    const scheduling = { code: "scheduling", message: "" } as const;
    expect(refined(scheduling, { reason: "FailedScheduling", message: "0/3 nodes" })).toEqual({
      code: "no_node",
      message: "0/3 nodes",
    });
  });
});
