import { initFailure } from "#adapters/runtime-parts/init-step.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { WaitingCode } from "#ports/runtime.ts";
import type { ClusterEvent, ContainerStatus, Pod, PodStatus, Terminated } from "./objects.ts";

/** The container in a workspace's pod that is the workspace; the others are ours. */
export const IDE = "ide";
/** The one before it that is the person's too. */
export const INIT = "init";

/** The container whose end is the pod's: its only one that is neither a step before it nor beside it. */
export function mainOf(pod: Pod): ContainerStatus | null {
  return pod.status?.containerStatuses?.[0] ?? null;
}

/** The claim it uses, if any. */
export function claimOf({ spec }: Pod): string | null {
  const volume = spec.volumes?.find((one) => one.persistentVolumeClaim !== undefined);
  return volume?.persistentVolumeClaim?.claimName ?? null;
}

/**
 * Whether the program of the pod runs. A pod whose removal is under way is what its program is: only when the object is
 * gone nobody can write any more.
 */
export function stateOf(pod: Pod): Pick<ContainerSeen, "state" | "exitCode" | "ended"> {
  const main = mainOf(pod)?.state;
  const { phase } = pod.status ?? {};
  if (main?.terminated !== undefined) return exited(pod, main.terminated);
  if (phase === "Failed" || phase === "Succeeded") return exited(pod, failedStep(pod)?.state?.terminated ?? null);
  const leaves = pod.metadata.deletionTimestamp === undefined ? null : whyEnded(pod, null);
  const ended = leaves === null ? {} : { ended: leaves };
  return { state: main?.running === undefined ? "created" : "running", exitCode: null, ...ended };
}

function exited(pod: Pod, how: Terminated | null): ReturnType<typeof stateOf> {
  const ended = whyEnded(pod, how);
  return { state: "exited", exitCode: how?.exitCode ?? null, ...(ended === null ? {} : { ended }) };
}

const failedStep = (pod: Pod): ContainerStatus | undefined =>
  pod.status?.initContainerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);

const PREEMPTED = new Set(["Preempting", "PreemptionByScheduler"]);
const DRAINED = new Set(["EvictionByEvictionAPI", "DeletionByTaintManager", "Shutdown", "NodeShutdown", "Terminated"]);
const NODE_GONE = new Set(["NodeLost", "DeletionByPodGC", "UnexpectedAdmissionError"]);

/** Null where the program ended by itself: then its code says all there is. */
export function whyEnded(pod: Pod, how: Terminated | null): Reason | null {
  const { reason = "", message = "", conditions = [] } = pod.status ?? {};
  const step = failedStep(pod);
  if (step?.name === INIT && how === step.state?.terminated) {
    const failure = initFailure(how?.message ?? "");
    if (failure !== null) return failure;
  }
  const target = conditions.find(({ type, status }) => type === "DisruptionTarget" && status === "True");
  const words = message !== "" ? message : (target?.message ?? how?.message ?? "");
  const because = (code: string): Reason => ({ code, fields: words === "" ? {} : { message: words } });
  if (reason === "Evicted" || target?.reason === "TerminationByKubelet") return because("evicted");
  if (how?.reason === "OOMKilled") return because("out_of_memory");
  for (const one of [reason, target?.reason ?? ""]) {
    if (PREEMPTED.has(one)) return because("preempted");
    if (DRAINED.has(one)) return because("drained");
    if (NODE_GONE.has(one)) return because("node_gone");
  }
  // A node that was switched off and came back knows no more than that it was.
  if (how?.reason === "Unknown" || (how?.reason === "ContainerStatusUnknown" && how.exitCode !== 0)) {
    return because("node_gone");
  }
  if (how?.reason === "StartError") return because("not_startable");
  return null;
}

/**
 * The same from what was said while it ended: of a pod whose programs end well when their node asks them to, Kubernetes
 * tells that it succeeded, and not why it was asked.
 */
export function whyEndedBy(events: readonly ClusterEvent[]): Reason | null {
  for (const { reason = "", message = "" } of events) {
    const fields = message === "" ? {} : { message };
    if (reason === "Evicted") return { code: "evicted", fields };
    if (PREEMPTED.has(reason)) return { code: "preempted", fields };
  }
  return null;
}

/** What a pod that has not begun waits for; the words are the cluster's. */
export interface PodWait {
  readonly code: Exclude<WaitingCode, "installing" | "answering">;
  readonly message: string;
}

export type StartVerdict =
  | { readonly kind: "started"; readonly host: string }
  | { readonly kind: "ended" }
  | { readonly kind: "waiting"; readonly wait: PodWait }
  | { readonly kind: "failed"; readonly failure: OperationFailure };

const NO_IMAGE = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);
const NOT_STARTABLE = new Set(["CreateContainerConfigError", "CreateContainerError", "RunContainerError"]);

/** How far a pod has come. What no waiting mends is a failure at once; whatever may pass is waited for. */
export function startOf(pod: Pod): StartVerdict {
  const { status = {} } = pod;
  const failure = stuckAt(status) ?? failedBefore(pod);
  if (failure !== null) return { kind: "failed", failure };
  const { state } = stateOf(pod);
  if (state === "exited") return { kind: "ended" };
  if (state === "running" && status.podIP !== undefined) return { kind: "started", host: status.podIP };
  return { kind: "waiting", wait: waitOf(status) };
}

function stuckAt(status: PodStatus): OperationFailure | null {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  for (const { name, state } of all) {
    const { reason = "", message = "" } = state?.waiting ?? {};
    if (NO_IMAGE.has(reason)) return new OperationFailure("ImagePullFailed", message || reason);
    if (NOT_STARTABLE.has(reason))
      return new OperationFailure("ActionFailed", `The container ${name} cannot be started: ${message || reason}`);
  }
  return null;
}

/**
 * A step of ours that must end well before the program begins: what it says is why there is no workspace. How the
 * person's own step ended is told by the state of the pod.
 */
function failedBefore(pod: Pod): OperationFailure | null {
  const step = failedStep(pod);
  if (step === undefined || step.name === INIT || mainOf(pod)?.state?.running !== undefined) return null;
  const { exitCode = 0, message = "" } = step.state?.terminated ?? {};
  return new OperationFailure("ActionFailed", message.trim() || `The step ${step.name} ended with code ${exitCode}.`);
}

function waitOf(status: PodStatus): PodWait {
  const scheduled = status.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "True") {
    const code = scheduled?.reason === "Unschedulable" ? "no_node" : "scheduling";
    return { code, message: scheduled?.message ?? "" };
  }
  const steps = status.initContainerStatuses ?? [];
  const begun = steps.some(({ state }) => state?.running !== undefined || state?.terminated !== undefined);
  return { code: begun ? "preparing" : "attaching", message: "" };
}

const EVENTS: Readonly<Record<string, PodWait["code"]>> = {
  FailedScheduling: "no_node",
  FailedAttachVolume: "disk_refused",
  FailedMount: "disk_refused",
  FailedMapVolume: "disk_refused",
  Pulling: "pulling",
  Pulled: "preparing",
  FailedCreatePodSandBox: "preparing",
};

/** How the controller that attaches disks begins when it waits for another node to let go of one. */
const ELSEWHERE = "Multi-Attach error";

/** The same with what the cluster's parts said last about it; they say nothing while all goes well. */
export function refined(
  wait: PodWait,
  lastEvent: { readonly reason?: string; readonly message?: string } | null,
): PodWait {
  const code = EVENTS[lastEvent?.reason ?? ""];
  if (code === undefined) return wait;
  // The scheduler's last words are older than its decision.
  if (code === "no_node" && wait.code !== "scheduling" && wait.code !== "no_node") return wait;
  const message = lastEvent?.message ?? wait.message;
  return { code: message.startsWith(ELSEWHERE) ? "disk_elsewhere" : code, message };
}
