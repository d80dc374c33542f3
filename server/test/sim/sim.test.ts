import { describe, expect, it } from "vitest";
import { Cluster } from "./cluster.ts";
import { CALM } from "./faults.ts";
import type { Plant } from "./plant.ts";
import { plantNamed } from "./plants.ts";
import { Prng } from "./prng.ts";
import { SimProcess } from "./process.ts";
import { runSeed } from "./run.ts";
import { Scheduler } from "./scheduler.ts";
import { Sim } from "./sim.ts";
import { runScenario } from "./sweep.ts";

describe("the scheduler", () => {
  it("makes things happen in the order of their time, and lets every microtask run in between", async () => {
    const scheduler = new Scheduler(new Prng(1));
    const happened: string[] = [];
    const deep = async (name: string): Promise<void> => {
      for (let depth = 0; depth < 50; depth++) await null;
      happened.push(name);
    };
    for (const [delay, name] of [
      [30, "third"],
      [10, "first"],
      [20, "second"],
    ] as const) {
      scheduler.after(delay, () => {
        scheduler.woken = true;
        void deep(name);
      });
    }
    while (await scheduler.step()) happened.push(`at ${scheduler.now}`);
    expect(happened).toEqual(["first", "at 10", "second", "at 20", "third", "at 30"]);
  });

  it("orders what is due at the same moment by the seed", async () => {
    const orderOf = async (seed: number): Promise<string> => {
      const scheduler = new Scheduler(new Prng(seed));
      let order = "";
      for (const name of "abcdef") {
        scheduler.after(5, () => {
          order += name;
        });
      }
      while (await scheduler.step());
      return order;
    };
    expect(await orderOf(1)).toBe(await orderOf(1));
    const orders = new Set(await Promise.all([1, 2, 3, 4, 5].map(orderOf)));
    expect(orders.size).toBeGreaterThan(1);
  });
});

describe("a simulated process", () => {
  const setUp = () => {
    const sim = new Sim(3, false);
    sim.profile = CALM;
    const process = new SimProcess("p", sim.scheduler, 3, 9);
    const world = { value: 0 };
    const answers: number[] = [];
    const raise = (): void => {
      void sim
        .call({
          process,
          port: "runtime",
          name: "raise",
          about: "",
          reads: false,
          effect: () => ++world.value,
        })
        .then((value) => answers.push(value));
    };
    const finish = async (): Promise<void> => {
      while (await sim.scheduler.step());
    };
    return { sim, process, world, answers, raise, finish };
  };

  it("never hears again after it was killed, while what it sent may still arrive", async () => {
    const { process, world, answers, raise, finish } = setUp();
    raise();
    process.kill(() => true);
    await finish();
    expect([world.value, answers]).toEqual([1, []]);
  });

  it("hears what came while it was frozen when it thaws", async () => {
    const { sim, process, world, answers, raise, finish } = setUp();
    raise();
    process.freeze();
    await finish();
    expect([world.value, answers]).toEqual([1, []]);
    process.thaw(sim.random);
    await finish();
    expect(answers).toEqual([1]);
  });
});

describe("a run", () => {
  it("is the same, byte for byte, for the same seed", { timeout: 300_000 }, async () => {
    for (const seed of [4, 11]) {
      const [one, two] = [await runSeed(seed, { tracing: true }), await runSeed(seed, { tracing: true })];
      expect(one.lines.length).toBeGreaterThan(1_000);
      expect(two.lines.join("\n")).toBe(one.lines.join("\n"));
    }
  });

  it("is another one for another seed", async () => {
    const [one, two] = [await runSeed(4, { tracing: true }), await runSeed(5, { tracing: true })];
    expect(one.lines.slice(0, 500)).not.toEqual(two.lines.slice(0, 500));
  });

  it("holds every invariant for the first seeds", { timeout: 300_000 }, async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { violations } = await runSeed(seed);
      expect(violations, `npm run sim -- --seed ${seed} --trace`).toEqual([]);
    }
  });

  it.each(["H1", "H5", "H12", "G1", "I19", "kubeAccepted"])(
    "finds the planted bug %s",
    { timeout: 300_000 },
    async (name) => {
      const plant = plantNamed(name);
      const caught = new Set<string>();
      for (let seed = 1; seed <= 40 && !plant.caughtBy.some((one) => caught.has(one)); seed++) {
        for (const { invariant } of (await runSeed(seed, { plant })).violations) caught.add(invariant);
      }
      expect(plant.caughtBy.filter((one) => caught.has(one))).not.toEqual([]);
    },
  );
});

describe("a term", () => {
  it("ends although a part of it never comes back, and the same process leads again", async () => {
    const sim = new Sim(7, false);
    sim.profile = CALM;
    let hangs = false;
    const readGeneration = (): Promise<number> => {
      hangs = true;
      return new Promise(() => {});
    };
    const deps: Plant["deps"] = (whole) => ({ ...whole, archives: { ...whole.archives, readGeneration } });
    const cluster = new Cluster(sim, { name: "hang", what: "", caughtBy: [], deps });
    cluster.start(0);
    const until = async (reached: () => boolean): Promise<void> => {
      const deadline = sim.scheduler.now + 24 * 3_600_000;
      while (!reached() && sim.scheduler.now < deadline && (await sim.scheduler.step()));
      expect(reached()).toBe(true);
    };
    await until(() => hangs);
    const { holder } = cluster.elections;
    if (holder === null) throw new Error("nobody leads");
    cluster.elections.drop(holder, true);
    await until(() => cluster.elections.holder !== null && cluster.elections.holder !== holder);
    expect(cluster.elections.holder?.process).toBe(holder.process);
    expect(sim.violations).toEqual([]);
  });
});

describe("the sweep", () => {
  it("counts the awaits of a clean run and survives a crash at the first, the middle and the last", async () => {
    const clean = await runScenario("archive", []);
    expect(clean.violations).toEqual([]);
    expect(clean.calls).toBeGreaterThan(10);
    for (const call of [1, Math.floor(clean.calls / 2), clean.calls]) {
      for (const when of ["before", "after"] as const) {
        const crashed = await runScenario("archive", [{ call, when }]);
        expect(crashed.faults.get("crash")).toBe(1);
        expect(crashed.violations).toEqual([]);
      }
    }
  });
});
