import type { Cluster } from "./cluster.ts";
import { CLUSTER_FAULTS, type ClusterFault } from "./faults.ts";
import type { Kubernetes, SimNode } from "./kubernetes.ts";
import { Prng } from "./prng.ts";
import type { Users } from "./users.ts";

const MINUTE = 60_000;
const OFTEN = 0.003;

/** What happens to a cluster by itself, beside all that happens to any deployment. */
export class ClusterNemesis {
  readonly #cluster: Cluster;
  readonly #kubernetes: Kubernetes;
  readonly #users: Pick<Users, "nodeOff">;
  readonly #random: Prng;
  readonly #weights: Partial<Record<ClusterFault, number>> = {};
  readonly #acts: Readonly<Partial<Record<ClusterFault, () => boolean>>>;
  #rate = 0;

  constructor(cluster: Cluster, kubernetes: Kubernetes, users: Pick<Users, "nodeOff">) {
    this.#cluster = cluster;
    this.#kubernetes = kubernetes;
    this.#users = users;
    this.#random = new Prng(cluster.sim.seed, 53);
    this.#acts = {
      node_cut: () => this.#loseNode("cut"),
      node_off: () => this.#loseNode("off"),
      node_drained: () => this.#drain(),
      claim_deleted: () => this.#deleteClaim(),
      claim_lost: () => this.#loseClaim(),
      late_attach: () => this.#blockDisk(),
      quota_full: () => this.#fillQuota(),
      lost_watch: () => this.#silence(),
    };
    kubernetes.onRepeated = () => cluster.sim.inject("create_repeated", () => "");
    kubernetes.onStuck = (kind) => cluster.sim.inject(kind, () => "");
  }

  begin(): void {
    this.#rate = this.#random.pick([0.0005, 0.001, 0.003]);
    this.#kubernetes.stuck = this.#random.pick([0, 0.02, 0.1]);
    this.#kubernetes.repeats = this.#random.pick([0, 0.05, 0.2]);
    for (const kind of CLUSTER_FAULTS) {
      if (this.#acts[kind] !== undefined && this.#random.chance(0.5)) this.#weights[kind] = this.#random.between(1, 4);
    }
    if (Object.keys(this.#weights).length === 0) this.#weights.node_cut = 1;
    const { favoured } = this.#kubernetes;
    if (favoured === null) return;
    this.#rate = OFTEN;
    for (const kind of CLUSTER_FAULTS) this.#weights[kind] = favoured.includes(kind) ? 1 : 0;
  }

  maybeStrike(): void {
    if (!this.#random.chance(this.#rate)) return;
    const kind = this.#random.weighted(this.#weights as Record<ClusterFault, number>);
    if (this.#acts[kind]?.() === true) this.#cluster.sim.inject(kind, () => "");
  }

  heal(): void {
    this.#kubernetes.heal();
    this.#cluster.watchers.deaf = false;
  }

  #later(from: number, to: number, then: () => void): void {
    this.#cluster.sim.scheduler.after(this.#random.between(from, to), then);
  }

  /** It comes back by itself, or somebody goes there, switches it off and says so: to the cluster, or to CodeHub. */
  #loseNode(how: "cut" | "off"): boolean {
    const up = this.#kubernetes.nodes.filter(({ state }) => state === "up");
    if (up.length < 2) return false;
    // Mostly one on which something is.
    const busy = up.filter((node) => this.#kubernetes.podsOn(node).length > 0);
    const node: SimNode = this.#random.pick(busy.length > 0 && this.#random.chance(0.8) ? busy : up);
    this.#kubernetes.lose(node, how);
    if (this.#random.chance(0.3)) {
      this.#later(10 * MINUTE, 60 * MINUTE, () => {
        if (node.state !== "up") this.#kubernetes.declareOff(node);
      });
    }
    if (this.#random.chance(0.3)) this.#later(MINUTE, 60 * MINUTE, () => void this.#sayOff(node));
    this.#later(MINUTE, this.#random.pick([10, 60, 300]) * MINUTE, () => this.#kubernetes.bringBack(node));
    return true;
  }

  /** What is said is true when it is said. How long it takes to be heard, and what the machine does by then, is another matter. */
  async #sayOff(node: SimNode): Promise<void> {
    if (node.state === "up") return;
    if (node.state === "cut") this.#kubernetes.lose(node, "off");
    await this.#users.nodeOff(node.name);
  }

  #drain(): boolean {
    const busy = this.#kubernetes.nodes.filter(
      (node) => node.state === "up" && this.#kubernetes.podsOn(node).length > 0,
    );
    if (busy.length === 0) return false;
    for (const { container } of this.#kubernetes.podsOn(this.#random.pick(busy)))
      this.#kubernetes.deletePod(container.id);
    return true;
  }

  /** The finalizer keeps the home; whoever reads what CodeHub says of it brings the claim back. */
  #deleteClaim(): boolean {
    const { world, sim } = this.#cluster;
    const names = [...world.volumes.keys()].filter((name) => this.#kubernetes.claim(name).goingSince === null);
    if (names.length === 0) return false;
    const name = this.#random.pick(names);
    this.#kubernetes.deleteClaim(name);
    this.#later(10 * MINUTE, 240 * MINUTE, () => {
      const claim = this.#kubernetes.claims.get(name);
      if (claim?.goingSince == null || !claim.finalizer) return;
      sim.trace(() => `an operator brings ${name.slice(-8)} back`);
      claim.goingSince = null;
    });
    return true;
  }

  #loseClaim(): boolean {
    const { world, oracle, sim } = this.#cluster;
    const free = [...world.volumes.values()].filter(({ name }) => !this.#kubernetes.isUsed(name));
    if (free.length === 0 || !this.#random.chance(0.3)) return false;
    const { name, workspaceId } = this.#random.pick(free);
    this.#kubernetes.lost.add(name);
    this.#kubernetes.claims.delete(name);
    world.removeVolume(name, null);
    oracle.harm(name, workspaceId);
    sim.sometimes("cluster: a claim was lost");
    return true;
  }

  #blockDisk(): boolean {
    const names = [...this.#cluster.world.volumes.keys()];
    if (names.length === 0) return false;
    const until = this.#cluster.sim.scheduler.now + this.#random.between(MINUTE, 40 * MINUTE);
    this.#kubernetes.claim(this.#random.pick(names)).blockedUntil = until;
    return true;
  }

  #fillQuota(): boolean {
    if (this.#kubernetes.quotaFull) return false;
    this.#kubernetes.quotaFull = true;
    this.#later(MINUTE, 60 * MINUTE, () => {
      this.#kubernetes.quotaFull = false;
    });
    return true;
  }

  #silence(): boolean {
    if (this.#cluster.watchers.deaf) return false;
    this.#cluster.watchers.deaf = true;
    this.#later(30 * MINUTE, 360 * MINUTE, () => {
      this.#cluster.watchers.deaf = false;
    });
    return true;
  }
}
