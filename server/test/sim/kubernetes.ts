import { OperationFailure } from "#ports/failure.ts";
import type { StartSpec } from "#ports/runtime.ts";
import { newContainer } from "./fake-engine.ts";
import type { ClusterFault } from "./faults.ts";
import { FAITHFUL, type Ways } from "./kubernetes-ways.ts";
import { Prng } from "./prng.ts";
import type { Removal, SimContainer, World } from "./world.ts";

const MINUTE = 60_000;
/** A node that says nothing has its pods asked to go after this long; nobody there hears it. */
const EVICTED_AFTER_MS = 5 * MINUTE;
/** The cluster has lost sight of a node that has said nothing for this long. */
const SILENT_AFTER_MS = 40_000;
/** A node that works has told of a pod's end long before. */
const OVERDUE_MS = 60_000;
/** A disk is taken from a node that does not answer only after this long. */
const FORCED_DETACH_MS = 6 * MINUTE;

/** `cut`: what runs there goes on, and nobody hears of it. `off`: nothing runs there, and nobody hears of that. */
export interface SimNode {
  readonly name: string;
  state: "up" | "cut" | "off";
  /** When it was last heard of; it is heard of all the time while it is up. */
  lostAt: number;
}

export interface Pod {
  readonly container: SimContainer;
  readonly imageRef: string;
  node: SimNode | null;
  goingSince: number | null;
  /** Removed by force from the cluster's books; whether it runs is another question. */
  hidden: boolean;
  /** What the books say of a pod whose node cannot say more. */
  told: SimContainer["state"] | null;
}

interface Claim {
  node: SimNode | null;
  goingSince: number | null;
  /** Ours: while it is on, the claim and its disk stay. */
  finalizer: boolean;
  /** When its disk may be given to another node. */
  freeAt: number | null;
  blockedUntil: number;
}

/** A cluster's books and nodes. What really runs is in the world; what is said about it is here. */
export class Kubernetes {
  readonly world: World;
  readonly random: Prng;
  readonly nodes: readonly SimNode[] = ["node-1", "node-2", "node-3"].map((name) => ({ name, state: "up", lostAt: 0 }));
  readonly pods: Map<string, Pod> = new Map();
  readonly claims: Map<string, Claim> = new Map();
  /** Claims whose disk was taken away: a name without a home. */
  readonly lost: Set<string> = new Set();
  /** Claims whose removal CodeHub has begun. */
  readonly begun: Set<string> = new Set();
  /** Whether two pods on one node may have the same claim (ReadWriteOnce), as some drivers cannot do otherwise. */
  shared: boolean;
  ways: Ways = FAITHFUL;
  quotaFull = false;
  /** Faults that happen often and alone, where a planted bug needs them; null leaves it to the seed. */
  favoured: readonly ClusterFault[] | null = null;
  /** Chance that a removal, once accepted, takes minutes or hours. */
  stuck = 0;
  /** Chance that some middleman asks once more for a pod. */
  repeats = 0;
  onRepeated: () => void = () => undefined;
  onStuck: (kind: "stuck_terminating" | "claim_lingers") => void = () => undefined;
  /** A pod is asked for on a claim that can never be mounted again. */
  onGoingClaimUsed: (workspaceId: string, volume: string) => void = () => undefined;
  /** Whether a job's pod has this claim. */
  isHeldByJob: (volume: string) => boolean = () => false;
  /** Done when the node answers again, whatever happened on it meanwhile. */
  readonly #untilBack: Map<SimNode, (() => void)[]> = new Map();

  constructor(world: World) {
    this.world = world;
    this.random = new Prng(world.sim.seed, 52);
    this.shared = this.random.chance(0.5);
  }

  get #now(): number {
    return this.world.sim.scheduler.now;
  }

  /** The pods on the books. */
  shown(): Pod[] {
    return [...this.pods.values()].filter((pod) => !pod.hidden);
  }

  pod(id: string): Pod | null {
    const pod = this.pods.get(id);
    return pod === undefined || pod.hidden ? null : pod;
  }

  claim(name: string): Claim {
    let claim = this.claims.get(name);
    if (claim === undefined) {
      claim = { node: null, goingSince: null, finalizer: this.ways.holdsHomes, freeAt: null, blockedUntil: 0 };
      this.claims.set(name, claim);
    }
    return claim;
  }

  pickNode(): SimNode {
    const up = this.nodes.filter(({ state }) => state === "up");
    return this.random.pick(up.length > 0 ? up : this.nodes);
  }

  requireQuota(): void {
    if (!this.quotaFull) return;
    this.world.sim.sometimes("cluster: the quota refused");
    throw new OperationFailure("Unreachable", "the quota homes of the cluster leaves no room.");
  }

  /** As `POST pods`: the same attempt's is found again, anybody else's has the name. */
  createPod(spec: StartSpec): Pod {
    const { sim } = this.world;
    this.requireQuota();
    const namesake = this.shown().find(
      ({ container }) =>
        container.workspaceId === spec.workspaceId && (this.ways.oneName || container.attempt === spec.attempt),
    );
    if (namesake !== undefined) {
      sim.sometimes("cluster: a create met the pod that has the name");
      if (namesake.container.attempt === spec.attempt && namesake.goingSince === null) return namesake;
      throw new OperationFailure("ActionFailed", `Workspace ${spec.workspaceId} has a pod already.`);
    }
    if (this.world.isBeingPrepared(spec.workspaceId))
      throw new OperationFailure("ActionFailed", `A job has the name of ${spec.workspaceId}.`);
    if (this.claim(spec.volume).goingSince !== null) this.onGoingClaimUsed(spec.workspaceId, spec.volume);
    if (this.random.chance(this.repeats)) this.#repeat(spec);
    return this.addPod(newContainer(this.world, spec.workspaceId, spec.attempt, spec.volume, 8080), spec.imageRef);
  }

  #repeat(spec: StartSpec): void {
    this.onRepeated();
    const longestMs = this.random.pick([5_000, 10 * MINUTE, 60 * MINUTE]);
    this.#after(10, longestMs, () => {
      try {
        if (!this.lost.has(spec.volume) && this.claim(spec.volume).goingSince === null) this.createPod(spec);
      } catch (error) {
        this.world.sim.trace(() => `(again) refused: ${String(error)}`);
      }
    });
  }

  addPod(container: SimContainer, imageRef: string): Pod {
    container.state = "created";
    container.answersAt = Number.POSITIVE_INFINITY;
    const pod: Pod = { container, imageRef, node: null, goingSince: null, hidden: false, told: null };
    this.pods.set(container.id, pod);
    this.world.sim.scheduler.after(this.random.between(50, 1_500), () => this.#begin(pod, 2_000));
    return pod;
  }

  #begin(pod: Pod, againMs: number): void {
    const { container } = pod;
    if (pod.goingSince !== null || container.state !== "created" || !this.pods.has(container.id)) return;
    pod.node ??= this.pickNode();
    if (this.#mustWait(pod, pod.node)) {
      this.world.sim.scheduler.after(againMs, () => this.#begin(pod, Math.min(againMs * 2, 2 * MINUTE)));
      return;
    }
    if (container.volume !== null) Object.assign(this.claim(container.volume), { node: pod.node, freeAt: null });
    container.state = "running";
    container.answersAt = this.#now + this.random.between(0, 8_000);
    this.world.changed();
    this.world.onEngineHint(container.workspaceId);
  }

  #mustWait({ container, imageRef }: Pod, node: SimNode): boolean {
    if (node.state !== "up" || this.world.badImages.has(imageRef)) return true;
    return container.volume !== null && this.#diskIsElsewhere(container, container.volume, node);
  }

  #diskIsElsewhere(container: SimContainer, volume: string, node: SimNode): boolean {
    const claim = this.claim(volume);
    if (claim.goingSince !== null || this.lost.has(volume) || !this.world.volumes.has(volume)) return true;
    if (claim.blockedUntil > this.#now) return this.#waited();
    const others = this.shown().filter((one) => one.container !== container && one.container.volume === volume);
    const holders = others.filter((one) => one.container.state === "running");
    if (!this.shared && (holders.length > 0 || this.isHeldByJob(volume))) return this.#waited();
    if (claim.node === null || claim.node === node) return false;
    if (holders.some((one) => one.node === claim.node)) return this.#waited();
    const detachMs = claim.node.state === "up" ? this.random.between(500, 30_000) : FORCED_DETACH_MS;
    claim.freeAt ??= this.#now + detachMs;
    return claim.freeAt > this.#now && this.#waited();
  }

  #waited(): true {
    this.world.sim.sometimes("cluster: a pod waited for its disk");
    return true;
  }

  /** Accepted at once; done when the node says so, which may take hours. */
  deletePod(id: string): void {
    const pod = this.pod(id);
    if (pod === null || pod.goingSince !== null) return;
    pod.goingSince = this.#now;
    this.world.changed();
    if (pod.node === null) this.#after(50, 500, () => this.#gone(pod));
    else this.whenBack(pod.node, () => this.#endOnNode(pod));
  }

  #endOnNode(pod: Pod): void {
    if (this.random.chance(this.stuck)) {
      this.onStuck("stuck_terminating");
      this.#after(5 * MINUTE, 180 * MINUTE, () => this.#gone(pod));
    } else {
      this.#after(100, 9_000, () => this.#gone(pod));
    }
  }

  #after(from: number, to: number, then: () => void): void {
    this.world.sim.scheduler.after(this.random.between(from, to), then);
  }

  #gone(pod: Pod): void {
    const { node, container } = pod;
    if (!this.pods.has(container.id)) return;
    if (node !== null && node.state !== "up") {
      this.whenBack(node, () => this.#gone(pod));
      return;
    }
    this.#forget(pod);
  }

  #forget(pod: Pod): void {
    this.pods.delete(pod.container.id);
    this.world.removeContainer(pod.container.id);
    if (pod.container.volume !== null) this.#collect(pod.container.volume);
  }

  /** `--force`: off the books, whatever its node does with it, which takes its time also where it hears of it. */
  forcePod(id: string): void {
    const pod = this.pod(id);
    if (pod === null) return;
    pod.hidden = true;
    this.world.changed();
    this.world.onEngineHint(pod.container.workspaceId);
    if (pod.node === null) this.#forget(pod);
    else this.whenBack(pod.node, () => this.#after(1_000, 30_000, () => this.#gone(pod)));
  }

  /** The node of a pod that the cluster has lost sight of, or that should have ended long ago, as the pod itself tells. */
  silentNode({ node, goingSince, told, container }: Pod): string | null {
    const state = told ?? container.state;
    if (node === null || state === "exited") return null;
    const isUnheard = state === "running" && node.state !== "up" && this.#now - node.lostAt > SILENT_AFTER_MS;
    const isOverdue = goingSince !== null && this.#now - goingSince > OVERDUE_MS;
    return isUnheard || isOverdue ? node.name : null;
  }

  /** Whether the cluster hears from it now. */
  isUp(name: string): boolean {
    return this.nodes.some((node) => node.name === name && node.state === "up");
  }

  /** When a node answers, or now when it does. */
  whenBack(node: SimNode, then: () => void): void {
    if (node.state === "up") then();
    else this.#untilBack.set(node, [...(this.#untilBack.get(node) ?? []), then]);
  }

  podsOn(node: SimNode): Pod[] {
    return this.shown().filter((pod) => pod.node === node);
  }

  /** It answers nobody any more. What it runs goes on, or ends with it. */
  lose(node: SimNode, how: "cut" | "off"): void {
    if (node.state === "up") node.lostAt = this.#now;
    node.state = how;
    for (const pod of this.podsOn(node)) {
      pod.told = pod.container.state;
      if (how === "off" && pod.container.state === "running") this.world.exitContainer(pod.container);
    }
    this.world.sim.scheduler.after(EVICTED_AFTER_MS, () => {
      if (node.state !== "up") for (const pod of this.podsOn(node)) this.deletePod(pod.container.id);
    });
  }

  bringBack(node: SimNode): void {
    if (node.state === "up") return;
    node.state = "up";
    const waiting = this.#untilBack.get(node) ?? [];
    this.#untilBack.delete(node);
    for (const pod of this.podsOn(node)) {
      pod.told = null;
      this.world.onEngineHint(pod.container.workspaceId);
    }
    for (const then of waiting) then();
    this.world.changed();
  }

  /** An operator has pulled the plug himself and says so: the only removal by force there is. */
  declareOff(node: SimNode): void {
    if (node.state === "cut") this.lose(node, "off");
    for (const pod of this.podsOn(node)) this.#forget(pod);
    for (const claim of this.claims.values()) if (claim.node === node) claim.node = null;
    this.world.sim.sometimes("cluster: an operator said that a node is off");
  }

  /** As `kubectl delete pvc`, whoever types it. */
  deleteClaim(name: string): void {
    this.lost.delete(name);
    if (this.world.volumes.has(name)) this.claim(name).goingSince ??= this.#now;
    this.#collect(name);
  }

  /** Our finalizer is taken off a claim that is on its way out. */
  letGo(name: string, asked: Removal): void {
    if (!this.world.volumes.has(name)) return;
    const claim = this.claim(name);
    if (claim.goingSince === null)
      throw new OperationFailure("Unreachable", `the cluster does not remove the claim ${name} yet.`);
    if (!claim.finalizer) return;
    claim.finalizer = false;
    const lingers = this.random.chance(this.stuck);
    if (lingers) this.onStuck("claim_lingers");
    const [from, to] = lingers ? [5 * MINUTE, 180 * MINUTE] : [50, 3_000];
    this.#after(from, to, () => {
      this.claims.delete(name);
      this.world.removeVolume(name, asked);
    });
  }

  /** Without a finalizer of ours a claim goes as soon as no pod has it. */
  #collect(name: string): void {
    const claim = this.claims.get(name);
    if (this.ways.holdsHomes || claim === undefined || claim.goingSince === null || this.isUsed(name)) return;
    this.claims.delete(name);
    this.world.removeVolume(name, null);
  }

  isUsed(name: string): boolean {
    return this.shown().some(({ container }) => container.volume === name) || this.isHeldByJob(name);
  }

  /** Whatever was stuck, away or full is not any more; claims that somebody deleted are brought back by an operator. */
  heal(): void {
    this.stuck = 0;
    this.repeats = 0;
    this.quotaFull = false;
    for (const node of this.nodes) this.bringBack(node);
    for (const pod of this.shown()) if (pod.goingSince !== null) this.#after(100, 9_000, () => this.#gone(pod));
    for (const claim of this.claims.values()) {
      claim.blockedUntil = 0;
      if (claim.finalizer) claim.goingSince = null;
    }
  }
}
