import { describe, expect, it } from "vitest";
import type { World } from "#ports/world.ts";
import { fenced, type MethodOf } from "./fenced.ts";

/** Every method of every port (the compiler misses a new one here), and whether it may be called without the right to change anything. */
const METHODS: { readonly [P in keyof World]: Readonly<Record<MethodOf<World[P]>, "look" | "change">> } = {
  runtime: {
    engineId: "look",
    list: "look",
    inspect: "look",
    answers: "look",
    confirms: "look",
    usage: "look",
    homeBytes: "look",
    lookIntoHome: "look",
    logs: "look",
    listening: "look",
    watch: "look",
    ensureImage: "change",
    start: "change",
    remove: "change",
    cameUp: "change",
    giveUp: "change",
    emptyInHome: "change",
    portAddress: "change",
  },
  volumes: {
    list: "look",
    inspect: "look",
    identity: "look",
    freeSpace: "look",
    create: "change",
    grow: "change",
    seal: "change",
    remove: "change",
  },
  archives: {
    storeId: "look",
    head: "look",
    get: "look",
    openFile: "look",
    signRead: "look",
    list: "look",
    readGeneration: "look",
    put: "change",
    putMeta: "change",
    begin: "change",
    sign: "change",
    complete: "change",
    abort: "change",
    remove: "change",
    abortStaleUploads: "change",
    writeGeneration: "change",
  },
  jobs: {
    verify: "look",
    find: "look",
    archive: "change",
    archiveEmpty: "change",
    restore: "change",
    end: "change",
  },
  setup: { prepare: "change", check: "change" },
};

/** A method that nobody has heard of yet. */
const TOMORROW = "addedTomorrow";

function recordingWorld(): { world: World; called: string[] } {
  const called: string[] = [];
  const port = (name: string, methods: readonly string[]): object =>
    Object.fromEntries(
      [...methods, TOMORROW].map((method) => [method, async () => void called.push(`${name}.${method}`)]),
    );
  const world = Object.fromEntries(
    Object.entries(METHODS).map(([name, methods]) => [name, port(name, Object.keys(methods))]),
  );
  return { world: world as unknown as World, called };
}

const call = (world: World, port: string, method: string): Promise<unknown> =>
  Reflect.get(Reflect.get(world, port), method)();

const OPEN = () => () => undefined;

describe("the fence", () => {
  const rows = Object.entries(METHODS).flatMap(([port, methods]) =>
    [...Object.entries(methods), [TOMORROW, "change"] as const].map(([method, kind]) => ({ port, method, kind })),
  );

  it.each(rows)("$port.$method is a $kind", async ({ port, method, kind }) => {
    const { world, called } = recordingWorld();
    const closed = fenced(world, () => {
      throw new Error("no right");
    });
    const outcome = call(closed, port, method);
    if (kind === "change") {
      await expect(outcome).rejects.toThrow("no right");
      expect(called).toEqual([]);
    } else {
      await outcome;
      expect(called).toEqual([`${port}.${method}`]);
    }
  });

  it("lets every call through to the port itself while the right is there", async () => {
    const { world, called } = recordingWorld();
    const open = fenced(world, OPEN);
    for (const { port, method } of rows) await call(open, port, method);
    expect(called).toEqual(rows.map(({ port, method }) => `${port}.${method}`));
  });

  it("keeps what is not a call and the instance's own fields", async () => {
    class Counting {
      readonly kind = "docker";
      readonly #removed: string[] = [];
      async remove(id: string): Promise<number> {
        return this.#removed.push(id);
      }
    }
    const { world } = recordingWorld();
    const { runtime } = fenced({ ...world, runtime: new Counting() as unknown as World["runtime"] }, OPEN);
    expect(runtime.kind).toBe("docker");
    await runtime.remove("a", 0);
    expect(await (runtime.remove("b", 0) as Promise<unknown>)).toBe(2);
  });

  it("knows what is under way, whether it ends well or not", async () => {
    const { world } = recordingWorld();
    let underWay = 0;
    const settle = Promise.withResolvers<void>();
    const enter = () => {
      underWay += 1;
      return () => {
        underWay -= 1;
      };
    };
    const { runtime, volumes } = fenced(
      {
        ...world,
        runtime: { ...world.runtime, remove: () => settle.promise },
        volumes: { ...world.volumes, remove: () => Promise.reject(new Error("it is in use")) },
      },
      enter,
    );
    const removal = runtime.remove("a", 0);
    expect(underWay).toBe(1);
    await expect(volumes.remove("b")).rejects.toThrow("it is in use");
    await world.runtime.inspect("a");
    expect(underWay).toBe(1);
    settle.resolve();
    await removal;
    expect(underWay).toBe(0);
  });
});
