import { describe, expect, it } from "vitest";
import type { CoordinatorDeps } from "#coordinator/deps.ts";
import { archiveKey } from "#core/rows/names.ts";
import type { OperationName } from "#core/rows/workspace.ts";
import { OperationFailure } from "#ports/failure.ts";
import { newObject } from "./fake-archives.ts";
import { Stage } from "./stage.ts";

const GIB = 1024 ** 3;
const never = (): Promise<never> => new Promise(() => {});
function between(value: number | undefined, low: number, high: number): void {
  expect(value).toBeGreaterThanOrEqual(low);
  expect(value).toBeLessThanOrEqual(high);
}

describe("how often the coordinator looks", () => {
  it("sweeps every 30 s and polls every 15 s where nothing is to be done, and looks at nothing in particular", async () => {
    const stage = new Stage();
    const id = await stage.create("STANDBY");
    await stage.reaches(id, "STANDBY");
    await stage.pass(90);
    const [sweeps, polls, ttl, activity, reads, notes] = await stage.countFor(
      600,
      ...["runtime.list", "database.listUnsettled", "database.listIdleCandidates", "activity.read", "database.read"],
      "database.noteSeen",
    );
    between(sweeps, 19, 20);
    between(polls, 37, 40);
    between(ttl, 9, 10);
    between(activity, 9, 10);
    // To show that somebody still looks, the row is touched every 5 minutes, from what the sweep has listed.
    expect(reads).toBe(0);
    between(notes, 1, 2);
  });

  it("looks every 5 s, and polls every second, while something converges", async () => {
    const away = () => Promise.reject(new OperationFailure("Unreachable", "away"));
    const stage = new Stage({ deps: (deps) => ({ ...deps, runtime: { ...deps.runtime, inspect: away } }) });
    await stage.create("STANDBY");
    await stage.pass(60);
    const [reads, polls] = await stage.countFor(300, "database.read", "database.listUnsettled");
    between(reads, 52, 61);
    between(polls, 240, 301);
  });

  it("plans once at every look at which nothing is begun, and once more to begin something", async () => {
    let plans = 0;
    const counted = (room: Partial<CoordinatorDeps["settings"]>) => (deps: CoordinatorDeps) => {
      const plan: typeof deps.decisions.plan = (row, now) => {
        plans += 1;
        return deps.decisions.plan(row, now);
      };
      return { ...deps, decisions: { ...deps.decisions, plan }, settings: { ...deps.settings, ...room } };
    };
    const waiting = new Stage({ deps: counted({ maxOperations: 0 }) });
    await waiting.create("STANDBY");
    await waiting.pass(60);
    plans = 0;
    const [looks] = await waiting.countFor(300, "database.read");
    expect(plans).toBe(looks);
    const working = new Stage({ deps: counted({}) });
    const id = await working.create("ARCHIVED");
    await working.reaches(id, "ARCHIVED");
    await working.does(working.users.wish(id, "RUNNING"));
    plans = 0;
    const from = working.commits.length;
    await working.reaches(id, "RUNNING");
    const begun = working.commits.slice(from).flatMap(({ events }) => events.map((event) => event.kind));
    expect(begun.filter((kind) => kind === "operation_started")).toHaveLength(2);
    // RESTORING needs a fresh answer about the archive; that is found out before anybody looks.
    expect(plans).toBe(2 * 2 + 1);
  });

  it("looks every 2 s while an operation runs", async () => {
    const stage = new Stage({
      deps: (deps) => ({ ...deps, runtime: { ...deps.runtime, answers: async () => false } }),
    });
    const id = await stage.create("RUNNING");
    await stage.until(() => stage.row(id).operation === "STARTING");
    const [reads] = await stage.countFor(60, "database.read");
    between(reads, 25, 31);
  });

  it("polls every second for 30 s after a wake, and every 15 s again afterwards", async () => {
    const stage = new Stage();
    const id = await stage.create("STANDBY");
    await stage.reaches(id, "STANDBY");
    await stage.pass(90);
    await stage.does(stage.users.wish(id, "STANDBY"));
    const [active] = await stage.countFor(30, "database.listUnsettled");
    between(active, 28, 31);
    await stage.pass(5);
    const [idle] = await stage.countFor(60, "database.listUnsettled");
    between(idle, 3, 5);
  });

  it("takes the intervals from the environment", async () => {
    const stage = new Stage({ env: { COORDINATOR_IDLE_INTERVAL: "60", COORDINATOR_ACTIVE_INTERVAL: "10" } });
    const id = await stage.create("STANDBY");
    await stage.reaches(id, "STANDBY");
    await stage.pass(90);
    await stage.does(stage.users.wish(id, "STANDBY"));
    between((await stage.countFor(30, "database.listUnsettled"))[0], 2, 4);
    await stage.pass(60);
    between((await stage.countFor(600, "database.listUnsettled"))[0], 9, 11);
  });

  it("drops a proxy that died, also where there is no workspace to look at", async () => {
    const stage = new Stage();
    const { proxies, activity } = stage.cluster;
    proxies.startAll();
    await stage.pass(600);
    expect(proxies.end(false)).toBe(true);
    const dead = (): string[] => [...activity.sources.keys()].filter((source) => !proxies.isAlive(source));
    expect(dead()).toHaveLength(1);
    await stage.pass(24 * 3_600);
    expect(dead()).toEqual([]);
  });

  it("lists the store for garbage ten minutes into a term, and every 4 h", async () => {
    const stage = new Stage();
    await stage.until(() => stage.cluster.elections.holder !== null);
    expect(await stage.countFor(9 * 60, "archives.list")).toEqual([0]);
    expect(await stage.countFor(2 * 60, "archives.list")).toEqual([1]);
    expect(await stage.countFor(3.9 * 3_600, "archives.list")).toEqual([0]);
    expect(await stage.countFor(0.2 * 3_600, "archives.list")).toEqual([1]);
  });
});

describe("garbage", () => {
  it("is marked for 2 h before it goes, and goes within a minute after", async () => {
    const stage = new Stage();
    const { world, db } = stage.cluster;
    const key = archiveKey(stage.sim.random.uuid(), stage.sim.random.uuid());
    world.objects.set(key, newObject(world, key));
    await stage.until(() => db.marks.has(key));
    await stage.pass(119 * 60);
    expect(world.objects.has(key)).toBe(true);
    await stage.pass(2 * 60);
    expect(world.objects.has(key)).toBe(false);
  });

  it("of an upload that nobody finishes goes when it is a day old", async () => {
    const stage = new Stage();
    const { world } = stage.cluster;
    world.uploads.set("1", { key: "", begunAt: stage.sim.scheduler.now });
    await stage.pass(24 * 3_600);
    expect(world.uploads.size).toBe(1);
    await stage.pass(4 * 3_600);
    expect(world.uploads.size).toBe(0);
  });
});

/** The call of each operation that never comes back, and how a workspace gets there. */
const HANGING: Readonly<
  Record<
    Exclude<OperationName, "DISCARDING">,
    {
      readonly hang: (deps: CoordinatorDeps) => Partial<CoordinatorDeps>;
      readonly requestStore: readonly ("RUNNING" | "STANDBY" | "ARCHIVED")[];
    }
  >
> = {
  PROVISIONING: { requestStore: ["STANDBY"], hang: ({ volumes }) => ({ volumes: { ...volumes, create: never } }) },
  CREATE_EMPTY_ARCHIVE: {
    requestStore: ["ARCHIVED"],
    hang: ({ jobs }) => ({ jobs: { ...jobs, archiveEmpty: never } }),
  },
  RESTORING: { requestStore: ["ARCHIVED", "STANDBY"], hang: ({ jobs }) => ({ jobs: { ...jobs, restore: never } }) },
  PREPARING: { requestStore: ["RUNNING"], hang: ({ setup }) => ({ setup: { ...setup, prepare: never } }) },
  STARTING: {
    requestStore: ["RUNNING"],
    hang: ({ runtime }) => ({ runtime: { ...runtime, answers: async () => false } }),
  },
  STOPPING: {
    requestStore: ["RUNNING", "STANDBY"],
    hang: ({ runtime }) => ({ runtime: { ...runtime, remove: never } }),
  },
  ARCHIVING: { requestStore: ["STANDBY", "ARCHIVED"], hang: ({ jobs }) => ({ jobs: { ...jobs, archive: never } }) },
  DELETING: { requestStore: ["STANDBY"], hang: ({ runtime }) => ({ runtime: { ...runtime, inspect: never } }) },
};

describe("how long an operation may take", () => {
  const timedOut = async (operation: keyof typeof HANGING, env: Record<string, string>): Promise<number> => {
    const { hang, requestStore } = HANGING[operation];
    // What DELETING asks is asked by every look: it hangs only once the operation is claimed.
    let hangs = operation !== "DELETING";
    const stage = new Stage({
      env,
      deps: (deps) => {
        const hung = hang(deps);
        if (operation !== "DELETING") return { ...deps, ...hung };
        const inspect: typeof deps.runtime.inspect = (one) => (hangs ? never() : deps.runtime.inspect(one));
        return { ...deps, runtime: { ...deps.runtime, inspect } };
      },
    });
    if (operation === "PREPARING") stage.users.repositories = 1;
    const [first = "STANDBY", ...others] = requestStore;
    const id = await stage.create(first);
    for (const level of others) {
      await stage.until(() => stage.row(id).phase === stage.row(id).desiredState);
      await stage.does(stage.users.wish(id, level));
    }
    if (operation === "DELETING") {
      await stage.reaches(id, "STANDBY");
      await stage.does(stage.users.delete(id, true));
      await stage.until(() => stage.row(id).operation === "DELETING");
      hangs = true;
    }
    await stage.until(() => stage.row(id).errorInfo !== null);
    const { errorInfo, phase } = stage.row(id);
    expect(errorInfo).toMatchObject({ reason: "Timeout", operation, attempts: 1 });
    // A deletion is tried again; everything else waits for a person.
    expect(phase).toBe(operation === "DELETING" ? "DELETING" : "ERROR");
    return (errorInfo?.elapsedMs ?? 0) / 1_000;
  };
  const limits = {
    PROVISIONING: 300,
    CREATE_EMPTY_ARCHIVE: 300,
    RESTORING: 1_800,
    PREPARING: 1_800,
    STARTING: 300,
    STOPPING: 300,
    ARCHIVING: 1_800,
    DELETING: 300,
  } as const;

  it.each(Object.entries(limits))("%s: %d s, or what the environment says", async (name, seconds) => {
    const operation = name as keyof typeof limits;
    between(await timedOut(operation, {}), seconds, seconds + 15);
    between(await timedOut(operation, { [`RECONCILER_${operation}_TIMEOUT`]: "77" }), 77, 92);
  });
});

describe("a repository that nobody waits for any more", () => {
  const preparing = async (): Promise<[Stage, string]> => {
    const untilEnded = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new OperationFailure("ActionFailed", "It was ended.")), {
          once: true,
        });
      });
    const prepare: CoordinatorDeps["setup"]["prepare"] = (_, { signal }) => untilEnded(signal);
    const stage = new Stage({ deps: (deps) => ({ ...deps, setup: { ...deps.setup, prepare } }) });
    stage.users.repositories = 1;
    const id = await stage.create("RUNNING");
    await stage.until(() => stage.row(id).operation === "PREPARING");
    await stage.pass(60);
    return [stage, id];
  };

  it("is given up within seconds, and the workspace opens without it", async () => {
    const [stage, id] = await preparing();
    await stage.does(stage.users.skip(id));
    const asked = stage.sim.scheduler.now;
    await stage.until(() => stage.row(id).homeCtx.setup !== null);
    expect(stage.row(id).homeCtx.setup).toMatchObject({ version: 1, state: "skipped", folder: null });
    between((stage.sim.scheduler.now - asked) / 1_000, 0, 3);
    await stage.reaches(id, "RUNNING");
  });

  it("makes room for another within seconds", async () => {
    const [stage, id] = await preparing();
    await stage.does(stage.users.repository(id, null));
    const asked = stage.sim.scheduler.now;
    await stage.until(() => stage.timesOf(id, "operation_started").length === 3);
    expect(stage.row(id)).toMatchObject({ operation: "PREPARING", setupWanted: 2 });
    between((stage.sim.scheduler.now - asked) / 1_000, 0, 5);
  });

  it("keeps nobody from deleting the workspace", async () => {
    const [stage, id] = await preparing();
    await stage.does(stage.users.delete(id, false));
    const asked = stage.sim.scheduler.now;
    await stage.until(() => stage.row(id).operation === "ARCHIVING");
    between((stage.sim.scheduler.now - asked) / 1_000, 0, 5);
  });
});

describe("how often it is tried", () => {
  const failing = (env: Record<string, string>): Stage =>
    new Stage({
      env,
      deps: (deps) => ({
        ...deps,
        runtime: {
          ...deps.runtime,
          start: () => Promise.reject(new OperationFailure("ActionFailed", "The engine says no.")),
        },
      }),
    });
  const spacing = async (env: Record<string, string>): Promise<number[]> => {
    const stage = failing(env);
    const id = await stage.create("RUNNING");
    await stage.reaches(id, "ERROR");
    expect(stage.row(id)).toMatchObject({
      errorReason: "RetryExceeded",
      errorInfo: { message: "The engine says no.", operation: "STARTING" },
    });
    const failed = [...stage.timesOf(id, "attempt_failed"), ...stage.timesOf(id, "error")];
    expect(stage.row(id).errorInfo?.attempts).toBe(failed.length);
    const starts = stage.timesOf(id, "operation_started").slice(-failed.length);
    return failed.slice(0, -1).map((at, index) => (starts[index + 1] ?? 0) - at);
  };

  it("three times, a second and two apart, with jitter", async () => {
    const [first, second, ...more] = await spacing({});
    expect(more).toEqual([]);
    between(first, 0.5, 6);
    between(second, 1, 7);
  });

  it("as often and as far apart as the environment says", async () => {
    const gaps = await spacing({ RECONCILER_MAX_RETRIES: "5", RECONCILER_RETRY_BACKOFF: "30" });
    expect(gaps).toHaveLength(4);
    for (const gap of gaps) between(gap, 30, 36);
  });
});

it("an outage is tried again and again, at first after a second, in the end every 5 minutes", async () => {
  const stage = new Stage({
    deps: (deps) => ({
      ...deps,
      runtime: { ...deps.runtime, start: () => Promise.reject(new OperationFailure("Unreachable", "Nobody answers.")) },
    }),
  });
  const id = await stage.create("RUNNING");
  await stage.pass(3 * 3_600);
  expect(stage.row(id)).toMatchObject({ errorReason: "Unreachable", errorInfo: { isTerminal: false, attempts: 0 } });
  const failed = stage.timesOf(id, "attempt_failed");
  const starts = stage.timesOf(id, "operation_started").slice(-failed.length);
  const gaps = failed.slice(0, -1).map((at, index) => (starts[index + 1] ?? 0) - at);
  expect(gaps.length).toBeGreaterThan(30);
  between(gaps[0], 0.5, 6);
  // Jitter takes up to a half; the next look may be 5 s late.
  for (const gap of gaps.slice(10)) between(gap, 150, 306);
  expect(Math.max(...gaps)).toBeGreaterThan(200);
});

describe("the room on the disk", () => {
  it.each([
    ["below 2 GiB", 2 * GIB - 1, false],
    ["below 5 %", 10 * GIB - 1, false],
    ["with 5 % free", 10 * GIB, true],
  ])("%s", async (_name, freeBytes, goesOn) => {
    const stage = new Stage({
      deps: (deps) => ({
        ...deps,
        // At 2 GiB of a small disk it is the first rule that holds, at 10 of 200 GiB the second.
        volumes: {
          ...deps.volumes,
          freeSpace: async () => ({ freeBytes, totalBytes: (freeBytes < 5 * GIB ? 20 : 200) * GIB }),
        },
      }),
    });
    const made = await stage.create("STANDBY");
    const resting = await stage.create("ARCHIVED");
    await stage.reaches(resting, "ARCHIVED");
    if (goesOn) return await stage.reaches(made, "STANDBY");
    await stage.does(stage.users.wish(resting, "STANDBY"));
    await stage.pass(600);
    for (const [id, phase, operation] of [
      [made, "PENDING", "PROVISIONING"],
      [resting, "ARCHIVED", "RESTORING"],
    ] as const) {
      expect(stage.row(id)).toMatchObject({ phase, errorReason: "DiskFull", homeVolume: null });
      expect(stage.row(id).errorInfo).toMatchObject({ operation, isTerminal: false });
      expect(stage.row(id).errorInfo?.fields).toMatchObject({ failure: "disk_full", free_mib: expect.any(Number) });
    }
    expect(stage.cluster.world.volumes.size).toBe(0);
  });

  it("keeps a home from starting, and lets it be archived", async () => {
    let freeBytes = 100 * GIB;
    const freeSpace = async () => ({ freeBytes, totalBytes: 200 * GIB });
    const stage = new Stage({ deps: (deps) => ({ ...deps, volumes: { ...deps.volumes, freeSpace } }) });
    const id = await stage.create("STANDBY");
    await stage.reaches(id, "STANDBY");
    freeBytes = GIB;
    await stage.does(stage.users.wish(id, "RUNNING"));
    await stage.until(() => stage.row(id).errorReason === "DiskFull");
    expect(stage.row(id).errorInfo).toMatchObject({ operation: "STARTING", isTerminal: false });
    expect(stage.cluster.world.containers.size).toBe(0);
    await stage.does(stage.users.wish(id, "ARCHIVED"));
    await stage.reaches(id, "ARCHIVED");
  });
});

describe("a volume that is gone", () => {
  const lose = (stage: Stage, id: string): void => {
    const { world, oracle } = stage.cluster;
    const name = stage.row(id).homeVolume ?? "";
    world.removeVolume(name, null);
    oracle.harm(name, id);
  };
  const firstMissing = (stage: Stage, id: string): number =>
    stage.commits.find(
      (commit) => commit.id === id && commit.after.conditions["storage.volume_ready"]?.reason === "VolumeMissingOnce",
    )?.at ?? Number.NaN;

  it("is believed to be lost at the second look, 10 s after the first or later", async () => {
    const stage = new Stage();
    const id = await stage.create("STANDBY");
    await stage.reaches(id, "STANDBY");
    lose(stage, id);
    await stage.until(() => stage.row(id).conditions["storage.volume_ready"]?.unknownSince !== undefined);
    expect(stage.row(id)).toMatchObject({ phase: "STANDBY", errorReason: null });
    await stage.reaches(id, "ERROR");
    expect(stage.row(id).errorReason).toBe("DataLost");
    between(stage.sim.scheduler.now - firstMissing(stage, id), 10_000, 20_000);
  });

  it("under a container is an error of its own; recovering removes that container and tells the loss", async () => {
    const stage = new Stage();
    const id = await stage.create("RUNNING");
    await stage.reaches(id, "RUNNING");
    const container = stage.row(id).endpoint?.containerId ?? "";
    lose(stage, id);
    await stage.reaches(id, "ERROR");
    expect(stage.row(id)).toMatchObject({ errorReason: "ContainerWithoutVolume", errorInfo: { isTerminal: true } });
    between(stage.sim.scheduler.now - firstMissing(stage, id), 10_000, 20_000);
    await stage.pass(600);
    expect(stage.cluster.world.containers.has(container)).toBe(true);
    await stage.does(stage.users.recover(id));
    await stage.until(() => stage.row(id).errorReason === "DataLost");
    expect(stage.cluster.world.containers.has(container)).toBe(false);
    expect(stage.row(id)).toMatchObject({ phase: "ERROR", endpoint: null });
  });
});

describe("an error of a part", () => {
  it("costs that part its tick, and nobody else anything", async () => {
    let broken = 0;
    const stage = new Stage({
      deps: (deps) => ({
        ...deps,
        requestStore: {
          ...deps.requestStore,
          listIdleCandidates: () => {
            broken++;
            return Promise.reject(new Error("broken"));
          },
        },
        archives: { ...deps.archives, readGeneration: () => Promise.reject(new Error("broken")) },
      }),
    });
    const id = await stage.create("STANDBY");
    await stage.reaches(id, "STANDBY");
    const epoch = stage.cluster.db.epoch;
    const [sweeps, polls] = await stage.countFor(600, "runtime.list", "database.listUnsettled");
    between(broken, 9, 11);
    between(sweeps, 19, 21);
    between(polls, 37, 75);
    await stage.does(stage.users.wish(id, "ARCHIVED"));
    await stage.reaches(id, "ARCHIVED");
    expect(stage.cluster.db.epoch).toBe(epoch);
  });

  it("gives up leadership when it is the loop's own, and leads again", async () => {
    let tries = 0;
    const stage = new Stage({
      deps: (deps) => ({
        ...deps,
        hints: {
          subscribe: (onHint) => {
            if (++tries === 1) throw new Error("broken");
            return deps.hints.subscribe(onHint);
          },
        },
      }),
    });
    const id = await stage.create("STANDBY");
    await stage.reaches(id, "STANDBY");
    expect(tries).toBe(2);
    expect(stage.cluster.db.epoch).toBe(2);
    expect(stage.sim.violations).toEqual([]);
  });
});

it("phase_changed_at moves with the phase and only with it", async () => {
  const stage = new Stage();
  const id = await stage.create("RUNNING");
  await stage.reaches(id, "RUNNING");
  await stage.does(stage.users.wish(id, "ARCHIVED"));
  await stage.reaches(id, "ARCHIVED");
  const moves = stage.commits.filter(({ before }) => before !== null);
  for (const { before, after } of moves) {
    expect(after.phaseChangedAt === before?.phaseChangedAt, `${before?.phase} → ${after.phase}`).toBe(
      after.phase === before?.phase,
    );
  }
  expect(moves.map(({ after }) => after.phase)).toEqual(expect.arrayContaining(["STANDBY", "RUNNING", "ARCHIVED"]));
});
