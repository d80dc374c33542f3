import type { Cluster } from "./cluster.ts";
import { startContainer } from "./fake-engine.ts";
import { CALM, type Nemesis as Kind, PORTS } from "./faults.ts";
import type { SimProcess } from "./process.ts";
import { factsOf, KNOWN_FORMAT, strangerTo } from "./world.ts";

const MINUTE = 60_000;

/** What happens to processes and backends by itself. Strikes between steps, so mostly when something is going on. */
export class Nemesis {
  readonly #cluster: Cluster;
  readonly #acts: Readonly<Record<Kind, () => boolean>>;
  #backup: { readonly tables: ReturnType<Cluster["db"]["backup"]>; readonly generation: number } | null = null;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#acts = {
      crash: () => this.#crash(),
      graceful_stop: () => this.#stop(),
      freeze: () => this.#freeze(),
      session_drop: () => this.#dropSession(),
      partition: () => this.#partition(),
      clock_jump: () => this.#clockJump(),
      outage: () => this.#outage(),
      disk_full: () => this.#diskFull(),
      container_exits: () => this.#containerExits(),
      volume_deleted: () => this.#deleteVolume(),
      object_corrupted: () => this.#corrupt(false),
      object_truncated: () => this.#corrupt(true),
      format_from_the_future: () => this.#newerFormat(),
      image_gone: () => this.#imageGone(),
      hand_started_container: () => this.#handStarted(),
      database_restored: () => this.#restoreDatabase(),
      swizzle: () => this.#swizzle(),
      proxy_dies: () => cluster.proxies.end(false),
      proxy_stops: () => cluster.proxies.end(true),
      proxy_cut_off: () => cluster.proxies.cutOff(),
      another_engine: () => this.#stranger("otherEngine"),
      another_store: () => this.#stranger("otherStore"),
    };
  }

  /** Before each step of the hostile part of a run. */
  maybeStrike(): void {
    const { sim } = this.#cluster;
    if (!sim.random.chance(sim.profile.nemesis)) return;
    const kind = sim.random.weighted(sim.profile.nemeses as Record<Kind, number>);
    if (this.#acts[kind]()) sim.inject(kind, () => "");
  }

  /** Nothing goes wrong any more, and what was broken is whole: from here on everything must find its way. */
  heal(): void {
    const { sim, world, slots } = this.#cluster;
    sim.profile = CALM;
    sim.down.clear();
    world.freeBytes = 100 * 1024 ** 3;
    world.badImages.clear();
    this.#cluster.proxies.heal();
    world.otherEngine = null;
    world.otherStore = null;
    this.#cluster.hintLoss = 0;
    this.#cluster.watchers.loss = 0;
    slots.forEach(({ process }, slot) => {
      // A wrong clock is no excuse: where nobody sets it right, everything must converge all the same.
      if (sim.random.chance(0.5)) process.wallSkewMs = 0;
      if (process.frozen) process.thaw(sim.random);
      if (!process.alive) this.#cluster.start(slot);
    });
  }

  #victim(): { readonly process: SimProcess; readonly slot: number } | null {
    const { sim, slots, elections } = this.#cluster;
    const living = slots.map(({ process }, slot) => ({ process, slot })).filter(({ process }) => process.alive);
    // Mostly whoever leads: the others have nothing to lose.
    const leader = living.find(({ process }) => elections.holder?.process === process);
    if (leader !== undefined && sim.random.chance(0.8)) return leader;
    return living.length === 0 ? null : sim.random.pick(living);
  }

  #restartLater(slot: number): void {
    const { sim } = this.#cluster;
    sim.scheduler.after(sim.random.between(1_000, 10 * MINUTE), () => {
      if (this.#cluster.slots[slot]?.process.alive !== true) this.#cluster.start(slot);
    });
  }

  #crash(): boolean {
    const victim = this.#victim();
    if (victim === null) return false;
    this.#cluster.kill(victim.process, this.#cluster.sim.random.chance(0.2));
    this.#restartLater(victim.slot);
    return true;
  }

  #stop(): boolean {
    const victim = this.#victim();
    const slot = victim === null ? undefined : this.#cluster.slots[victim.slot];
    if (victim === null || slot === undefined || victim.process.frozen) return false;
    this.#cluster.sim.scheduler.woken = true;
    slot.stop.abort();
    this.#restartLater(victim.slot);
    return true;
  }

  #freeze(): boolean {
    const { sim } = this.#cluster;
    const victim = this.#victim();
    if (victim === null || victim.process.frozen) return false;
    victim.process.freeze();
    sim.scheduler.after(sim.random.between(1_000, sim.random.pick([MINUTE, 10 * MINUTE, 60 * MINUTE])), () => {
      if (victim.process.alive && victim.process.frozen) {
        sim.trace(() => `${victim.process.name} comes back`);
        victim.process.thaw(sim.random);
      }
    });
    return true;
  }

  #dropSession(): boolean {
    const { elections, sim } = this.#cluster;
    if (elections.holder === null) return false;
    elections.drop(elections.holder, sim.random.chance(0.5));
    return true;
  }

  #partition(): boolean {
    const { elections } = this.#cluster;
    if (elections.holder === null) return false;
    elections.cut(elections.holder);
    return true;
  }

  #clockJump(): boolean {
    const { sim } = this.#cluster;
    const victim = this.#victim();
    if (victim === null) return false;
    victim.process.wallSkewMs = sim.random.pick([-24, -1, 0, 1, 24]) * 60 * MINUTE;
    return true;
  }

  #outage(): boolean {
    const { sim } = this.#cluster;
    const port = sim.random.pick(PORTS);
    if (sim.down.has(port)) return false;
    sim.trace(() => `! ${port} is down`);
    sim.down.add(port);
    // Volumes live on the engine: both are away or none.
    if (port === "runtime" || port === "volumes")
      for (const one of ["runtime", "volumes", "jobs"] as const) sim.down.add(one);
    sim.scheduler.after(sim.random.between(5_000, 40 * MINUTE), () => {
      sim.down.delete(port);
      for (const one of ["runtime", "volumes", "jobs"] as const) if (port !== one) sim.down.delete(one);
    });
    return true;
  }

  /** Backends go away one by one and come back in another order. */
  #swizzle(): boolean {
    const { sim } = this.#cluster;
    for (const port of PORTS) {
      if (!sim.random.chance(0.5)) continue;
      sim.scheduler.after(sim.random.between(0, 5 * MINUTE), () => sim.profile !== CALM && sim.down.add(port));
      sim.scheduler.after(sim.random.between(6 * MINUTE, 20 * MINUTE), () => sim.down.delete(port));
    }
    return true;
  }

  /** Another engine or store answers in place of ours, and knows nothing of what is in it; ours comes back later. */
  #stranger(which: "otherEngine" | "otherStore"): boolean {
    const { sim, world, db } = this.#cluster;
    // Before the first binding it would be ours.
    const bound = db.deployment.engineId === world.engineId && db.deployment.storeId === world.storeId;
    if (world[which] !== null || !bound) return false;
    world[which] = strangerTo(world);
    sim.scheduler.after(sim.random.between(5 * MINUTE, 60 * MINUTE), () => {
      sim.trace(() => `! ${which} is away again`);
      world[which] = null;
    });
    return true;
  }

  #diskFull(): boolean {
    const { sim, world } = this.#cluster;
    world.freeBytes = sim.random.chance(0.5) ? 0 : 1024 ** 3;
    sim.scheduler.after(sim.random.between(MINUTE, 60 * MINUTE), () => {
      world.freeBytes = 100 * 1024 ** 3;
    });
    return true;
  }

  #containerExits(): boolean {
    const { sim, world } = this.#cluster;
    const running = [...world.containers.values()].filter((container) => container.state === "running");
    if (running.length === 0) return false;
    const container = sim.random.pick(running);
    // Half of them are taken away by the engine, of which half are seen to go before they are gone.
    const code = sim.random.chance(0.5) ? sim.random.pick(["drained", "evicted", "node_gone", "out_of_memory"]) : null;
    if (code !== null && code !== "out_of_memory" && sim.random.chance(0.5)) {
      container.ended = { code };
      world.onEngineHint(container.workspaceId);
    } else {
      world.exitContainer(container, code === null ? null : { code });
    }
    return true;
  }

  /** Somebody types `docker volume rm`; the engine refuses while a container references it. */
  #deleteVolume(): boolean {
    const { sim, world, oracle } = this.#cluster;
    // A cluster has its own ways to lose one.
    if (world.kubernetes !== null) return false;
    const free = [...world.volumes.values()].filter((volume) => world.referencing(volume.name).length === 0);
    if (free.length === 0 || !sim.random.chance(0.3)) return false;
    const volume = sim.random.pick(free);
    world.removeVolume(volume.name, null);
    oracle.harm(volume.name, volume.workspaceId);
    return true;
  }

  #corrupt(truncate: boolean): boolean {
    const { sim, world, oracle } = this.#cluster;
    const objects = [...world.objects.values()].filter((object) => object.content !== "X" && object.meta !== null);
    if (objects.length === 0 || !sim.random.chance(0.3)) return false;
    const object = sim.random.pick(objects);
    object.content = "X";
    if (truncate) object.sizeBytes = Math.floor(object.sizeBytes / 2);
    else object.sha256 = factsOf(object.workspaceId, "X").sha256;
    world.changed();
    oracle.harm(object.key, object.workspaceId);
    return true;
  }

  /** A newer program wrote this archive before it was rolled back. */
  #newerFormat(): boolean {
    const { sim, world, oracle } = this.#cluster;
    const marked = [...world.objects.values()].filter((object) => object.meta !== null);
    if (marked.length === 0) return false;
    const object = sim.random.pick(marked);
    if (object.meta === null) return false;
    object.meta = { ...object.meta, formatVersion: KNOWN_FORMAT + 1 };
    oracle.harm(object.key, object.workspaceId);
    return true;
  }

  #imageGone(): boolean {
    const { sim, world } = this.#cluster;
    world.badImages.add("image:1");
    sim.scheduler.after(sim.random.between(MINUTE, 30 * MINUTE), () => world.badImages.clear());
    return true;
  }

  /** Somebody runs a container with our labels by hand, on the current volume or on none. */
  #handStarted(): boolean {
    const { sim, world, db } = this.#cluster;
    const rows = [...db.rows.values()].filter((row) => world.containersOf(row.id).length === 0);
    if (rows.length === 0) return false;
    const row = sim.random.pick(rows);
    const volume = row.homeVolume !== null && world.volumes.has(row.homeVolume) && sim.random.chance(0.6);
    startContainer(world, row.id, sim.random.chance(0.5) ? null : sim.random.uuid(), volume ? row.homeVolume : null, 1);
    return true;
  }

  /** An operator brings back yesterday's database. First a backup is taken; a later strike restores it. */
  #restoreDatabase(): boolean {
    const { sim, db, world, oracle, slots, elections } = this.#cluster;
    const backup = this.#backup;
    if (backup === null) {
      this.#backup = { tables: db.backup(), generation: world.storeGeneration };
      return false;
    }
    // A backup as old as the store's last count cannot be told from the present, and nothing was removed since.
    if (world.storeGeneration <= backup.generation) return false;
    this.#backup = null;
    slots.forEach(({ process }, slot) => {
      if (process.alive) this.#cluster.kill(process, false);
      this.#restartLater(slot);
    });
    if (elections.holder !== null) elections.drop(elections.holder, false);
    db.restore(backup.tables);
    oracle.restoredAt = sim.scheduler.now;
    for (const row of db.rows.values()) {
      const truth = oracle.truth(row.id);
      truth.rolledBack = true;
      truth.left.clear();
      truth.trash.clear();
      truth.activity.length = 0;
      truth.gone = !oracle.holds(truth.id, truth.data);
      // What its future has removed is gone for it: that must show, and only a person can choose what follows.
      const pointer = row.homeVolume ?? row.archiveKey;
      if (pointer !== null && oracle.leadsTo(row) === undefined) oracle.harm(pointer, row.id);
    }
    sim.sometimes("database: an older backup was restored");
    return true;
  }
}
