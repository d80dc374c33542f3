import type { ActivityState } from "./fake-activity.ts";
import { EPOCH_MS } from "./process.ts";
import type { Sim } from "./sim.ts";

const MINUTE = 60_000;
const FLUSH_MS = 5 * MINUTE;
const HOW_MANY = 2;

/** One proxy: it notes who used what when, and hands it over now and then, unless it cannot. */
export interface SimProxy {
  readonly source: string;
  /** By workspace, what was used since the last time it could hand over. */
  readonly held: Map<string, number>;
  /** When it last handed over everything; simulated time, like all here. */
  flushedAt: number;
  alive: boolean;
  /** It works, and people work through it, but the buffer does not hear it until then. */
  cutOffUntil: number;
}

/** The proxies in front of the workspaces. They die, come back under another name, and are cut off for a while. */
export class Proxies {
  readonly #sim: Sim;
  readonly #activity: ActivityState;
  #living: SimProxy[] = [];
  #started = 0;

  constructor(sim: Sim, activity: ActivityState) {
    this.#sim = sim;
    this.#activity = activity;
  }

  startAll(): void {
    for (let index = 0; index < HOW_MANY; index++) this.#start();
  }

  /** Whoever a person's connection comes through now; null when nobody is there to take it. */
  pick(): SimProxy | null {
    return this.#living.length === 0 ? null : this.#sim.random.pick(this.#living);
  }

  /** Somebody did something through this proxy, which knows it at once. */
  touch(proxy: SimProxy, workspaceId: string): void {
    if (proxy.alive) proxy.held.set(workspaceId, this.#sim.scheduler.now);
  }

  /** Kill -9, or an end in good order; either way another one takes its place under another name. */
  end(inGoodOrder: boolean): boolean {
    const { random, scheduler } = this.#sim;
    const proxy = this.pick();
    if (proxy === null) return false;
    if (inGoodOrder && this.#flush(proxy)) this.#activity.sources.delete(proxy.source);
    proxy.alive = false;
    this.#living = this.#living.filter((one) => one !== proxy);
    this.#sim.trace(() => `${proxy.source} ends ${inGoodOrder ? "in good order" : `with ${proxy.held.size} untold`}`);
    this.#sim.sometimes(inGoodOrder ? "proxy: ended in good order" : "proxy: died");
    scheduler.after(random.between(1_000, 10 * MINUTE), () => this.#start());
    return true;
  }

  cutOff(): boolean {
    const { random, scheduler } = this.#sim;
    const proxy = this.pick();
    if (proxy === null || proxy.cutOffUntil > scheduler.now) return false;
    proxy.cutOffUntil = scheduler.now + random.between(10 * MINUTE, random.pick([30, 100, 300]) * MINUTE);
    this.#sim.trace(() => `${proxy.source} is cut off from the buffer`);
    return true;
  }

  heal(): void {
    for (const proxy of this.#living) proxy.cutOffUntil = 0;
  }

  isAlive(source: string): boolean {
    return this.#living.some((proxy) => proxy.source === source);
  }

  /** It takes connections once it is registered. */
  #start(): void {
    const { scheduler } = this.#sim;
    const source = `proxy-${++this.#started}`;
    const proxy: SimProxy = { source, held: new Map(), flushedAt: scheduler.now, alive: true, cutOffUntil: 0 };
    const register = (): void => {
      if (this.#flush(proxy)) {
        this.#living.push(proxy);
        this.#flushes(proxy);
      } else scheduler.after(MINUTE, register);
    };
    register();
  }

  #flushes(proxy: SimProxy): void {
    this.#sim.scheduler.after(FLUSH_MS, () => {
      if (!proxy.alive) return;
      this.#flush(proxy);
      this.#flushes(proxy);
    });
  }

  #flush(proxy: SimProxy): boolean {
    const { down, random, profile, scheduler, wallMs } = this.#sim;
    if (down.has("activity") || proxy.cutOffUntil > scheduler.now || random.chance(profile.call.activity)) return false;
    // Three intervals without a word are what makes a source silent.
    if (scheduler.now - proxy.flushedAt > 3 * FLUSH_MS) this.#sim.sometimes("proxy: flushed late");
    const entries = [...proxy.held].map(([workspaceId, at]) => ({ workspaceId, at: EPOCH_MS + at }));
    this.#activity.record(proxy.source, wallMs, entries);
    proxy.held.clear();
    proxy.flushedAt = scheduler.now;
    return true;
  }
}
