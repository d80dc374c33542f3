import { storeSuite } from "../suites/store-suite.ts";
import { Database } from "./database.ts";
import { Elections } from "./fake-election.ts";
import { requestStore } from "./fake-store.ts";
import { SimProcess } from "./process.ts";
import { Sim } from "./sim.ts";

/** Nothing in a simulation goes on by itself: whoever waits for an answer makes the next things happen. */
function pumped<T extends object>(sim: Sim, store: T): T {
  return new Proxy(store, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        let settled = false;
        const answer = Promise.resolve(member.apply(target, args)).finally(() => {
          settled = true;
        });
        answer.catch(() => undefined);
        while (!settled && (await sim.scheduler.step())) await sim.scheduler.drain();
        return await answer;
      };
    },
  });
}

// The simulation proves nothing about PostgreSQL unless its database keeps the same promises.
storeSuite("the simulator's database", async () => {
  const sim = new Sim(1, false);
  const db = new Database("deployment", () => sim.wallMs);
  const process = new SimProcess("suite", sim.scheduler, 1, 3);
  const elections = new Elections(sim, db, { fence: true, idleSessionMs: 8_000, identityOf: () => null });
  let owners = 0;
  return {
    requestStore: pumped(sim, requestStore({ sim, db, process })),
    lead: async () => {
      if (elections.holder !== null) elections.drop(elections.holder, false);
      const term = await pumped(sim, elections.of(process)).campaign(new AbortController().signal);
      if (term === null) throw new Error("somebody else leads");
      return pumped(sim, term.store);
    },
    owner: async () => `00000000-0000-4000-8000-${String(++owners).padStart(12, "0")}`,
    close: async () => undefined,
  };
});
