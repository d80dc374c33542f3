import { expect, test } from "vitest";
import { systemClock } from "#adapters/system/clock.ts";
import { DEFAULT_SETTINGS } from "../../test/fixtures/settings.ts";
import { Controller } from "./controller.ts";
import { type CoordinatorDeps, DECISIONS } from "./deps.ts";
import type { TermContext } from "./term.ts";
import { untried } from "./trust.ts";

const ID = "11111111-1111-4111-8111-111111111111";

/** A controller at work; its engine says who it is, and what there is, when the test lets it. */
class AtWork {
  readonly #over = new AbortController();
  readonly #asked = Promise.withResolvers<void>();
  readonly #listing = Promise.withResolvers<void>();
  readonly #read = Promise.withResolvers<string>();
  readonly named = Promise.withResolvers<string>();
  readonly listed = Promise.withResolvers<[]>();
  readonly controller: Controller;
  readonly #running: Promise<void>;
  reads = 0;

  constructor() {
    const runtime = {
      kind: "simulated",
      engineId: () => {
        this.#asked.resolve();
        return this.named.promise;
      },
      list: () => {
        this.#listing.resolve();
        return this.listed.promise;
      },
    };
    const store = {
      listUnsettled: async () => [],
      bindDeployment: async () => ({ runtimeKind: "simulated", engineId: "engine", storeId: "store" }),
      saveComponents: async () => {},
      listArchivesUnchecked: async () => [],
      listWithResources: async () => [],
      listVolumeNames: async () => [],
      noteSeen: async () => {},
      read: async (id: string) => {
        this.reads++;
        this.#read.resolve(id);
        return null;
      },
    };
    const logger = { warn: () => {}, info: () => {} };
    const deps = { clock: systemClock, decisions: DECISIONS, settings: DEFAULT_SETTINGS, logger };
    this.controller = new Controller({
      deps: deps as unknown as CoordinatorDeps,
      store,
      world: { runtime, volumes: { list: async () => [] }, archives: { storeId: async () => "store" } },
      logger,
      databaseClock: { isKnown: true, now: systemClock.nowMs },
      signal: this.#over.signal,
      end: () => {},
      trust: untried(),
    } as unknown as TermContext);
    this.#running = this.controller.run();
  }

  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  get listing(): Promise<void> {
    return this.#listing.promise;
  }

  /** Which workspace was looked at first. */
  get read(): Promise<string> {
    return this.#read.promise;
  }

  async end(): Promise<void> {
    this.#over.abort();
    this.listed.resolve([]);
    await this.#running;
  }
}

test("who asks while everything is listed does not wait for the list", async () => {
  const atWork = new AtWork();
  atWork.named.resolve("engine");
  await atWork.listing;
  atWork.controller.hint(ID);
  expect(await atWork.read).toBe(ID);
  await atWork.end();
});

test("nothing is looked at before it is known who answers", async () => {
  const atWork = new AtWork();
  atWork.controller.hint(ID);
  await atWork.asked;
  await new Promise(setImmediate);
  expect(atWork.reads).toBe(0);
  atWork.named.resolve("engine");
  expect(await atWork.read).toBe(ID);
  await atWork.end();
});
