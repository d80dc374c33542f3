import { connect } from "node:net";
import { OperationFailure } from "#ports/failure.ts";
import { pause } from "./cluster.ts";
import type { Labels } from "./labels.ts";
import { MEBIBYTE, type Placement, podObject, resources, SEALED } from "./pod-parts.ts";
import { startOf } from "./pod-state.ts";
import type { PodId, Pods } from "./pods.ts";
import type { OwnerReference } from "./premises.ts";

export interface PolicyProbeOptions {
  readonly deploymentId: string;
  readonly jobImage: string;
  readonly placement: Placement;
  readonly pods: Pods;
}

/** What stands in the place of a workspace: there is none of this name. */
const PROBE = "probe";
const PORT = 8080;
const LIMIT_MS = 120_000;
/** Network plugins may take a moment to shut in a new pod. Open for longer is open. */
const SETTLE_MS = 15_000;
const SILENCE_MS = 2_000;
const PAUSE_MS = 500;

const LISTEN = `require("node:net").createServer((socket) => socket.destroy()).listen(${PORT})`;

/** Whether somebody can be reached there; every time by a new connection. */
function reaches(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: PORT });
    const answer = (reached: boolean): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.setTimeout(SILENCE_MS, () => answer(false));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => answer(code === "ECONNREFUSED"));
    socket.on("connect", () => answer(true));
  });
}

/**
 * Whether the cluster holds pods to its network policies, found out by a pod that listens as a storage job, to which the policies
 * let nobody. This server reaches every workspace, so it would reach that one too.
 */
export class PolicyProbe {
  readonly #options: PolicyProbeOptions;

  constructor(options: PolicyProbeOptions) {
    this.#options = options;
  }

  /** Rejects when it could not be found out. */
  async isEnforced(owner: OwnerReference): Promise<boolean> {
    const { pods, deploymentId, placement } = this.#options;
    const labels: Labels = { deploymentId, role: "job", workspaceId: PROBE, attempt: PROBE };
    await this.#clear();
    const made = await pods.create(podObject(this.#name(), labels, owner, placement, this.#spec()));
    if (made === null) throw new OperationFailure("Unreachable", `The pod ${this.#name()} is still being removed.`);
    const { name, uid } = made.metadata;
    try {
      const host = await this.#listening({ name, uid });
      const until = performance.now() + SETTLE_MS;
      while (await reaches(host)) {
        if (performance.now() > until) return false;
        await pause(PAUSE_MS, new AbortController().signal);
      }
      return true;
    } finally {
      await pods.remove({ name, uid }, 1);
    }
  }

  /** One a deployment: what a server that was killed left is found by its name. */
  #name(): string {
    return `codehub-${PROBE}-${this.#options.deploymentId.slice(0, 8)}`;
  }

  async #clear(): Promise<void> {
    const { pods } = this.#options;
    const left = await pods.named(this.#name());
    if (left !== null && pods.isOurs(left)) await pods.remove(left.metadata, 1);
  }

  /** Its address. */
  async #listening(id: PodId): Promise<string> {
    const { pods } = this.#options;
    const limit = AbortSignal.timeout(LIMIT_MS);
    try {
      return await pods.until(id, limit, (pod) => {
        const verdict = startOf(pod);
        if (verdict.kind === "failed") throw verdict.failure;
        if (verdict.kind === "ended") throw new OperationFailure("Unreachable", `The pod ${id.name} ended by itself.`);
        return verdict.kind === "started" ? verdict.host : null;
      });
    } catch (error) {
      if (!limit.aborted) throw error;
      const event = await pods.lastEvent(id).catch(() => null);
      const why = event?.message ?? "";
      throw new OperationFailure("Unreachable", `The pod ${id.name} did not begin in time: ${why}`);
    }
  }

  #spec(): object {
    const small = { cpus: 0.05, memoryBytes: 64 * MEBIBYTE };
    return {
      terminationGracePeriodSeconds: 1,
      activeDeadlineSeconds: LIMIT_MS / 1_000,
      containers: [
        {
          name: "job",
          image: this.#options.jobImage,
          imagePullPolicy: "IfNotPresent",
          command: ["node", "-e", LISTEN],
          resources: resources(small, { cpus: 1, memoryBytes: 256 * MEBIBYTE }),
          securityContext: SEALED,
        },
      ],
    };
  }
}
