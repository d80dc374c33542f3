import type { World } from "#ports/world.ts";

export type MethodOf<Port> = {
  [K in keyof Port]-?: NonNullable<Port[K]> extends (...args: never[]) => unknown ? K : never;
}[keyof Port];

/**
 * The calls that only look. Every other call of every port needs the right, also one that is added tomorrow and that
 * nobody thought of here. `portAddress` reads like a look and is none, because on Docker it starts a relay; it is the
 * proxy's and not called by a coordinator.
 */
const LOOKS: { readonly [P in keyof World]: ReadonlySet<MethodOf<World[P]>> } = {
  runtime: new Set([
    "engineId",
    "list",
    "inspect",
    "answers",
    "confirms",
    "usage",
    "homeBytes",
    "lookIntoHome",
    "logs",
    "listening",
    "watch",
  ]),
  volumes: new Set(["list", "inspect", "identity", "freeSpace"]),
  archives: new Set(["storeId", "head", "get", "openFile", "signRead", "list", "readGeneration"]),
  jobs: new Set(["verify", "find"]),
  setup: new Set(),
};

/** Throws without the right to change anything. What it returns is called when the change is over, however it ended. */
export type Enter = () => () => void;

/**
 * The same world, in which everything that changes it first asks for the right: the term's lease, and for an attempt
 * also that it was not given up meanwhile. Looking needs no right.
 */
export function fenced({ runtime, volumes, archives, jobs, setup }: World, enter: Enter): World {
  return {
    runtime: guarded(runtime, LOOKS.runtime, enter),
    volumes: guarded(volumes, LOOKS.volumes, enter),
    archives: guarded(archives, LOOKS.archives, enter),
    jobs: guarded(jobs, LOOKS.jobs, enter),
    setup: guarded(setup, LOOKS.setup, enter),
  };
}

/** A proxy keeps class instances whole: every call reaches the original with its own `this`. */
function guarded<Port extends object>(port: Port, looks: ReadonlySet<PropertyKey>, enter: Enter): Port {
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function" || looks.has(key))
        return typeof value === "function" ? value.bind(target) : value;
      return async (...args: unknown[]): Promise<unknown> => {
        const leave = enter();
        try {
          return await value.apply(target, args);
        } finally {
          leave();
        }
      };
    },
  });
}
