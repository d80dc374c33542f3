import assert from "node:assert/strict";
import type { WebSocket } from "ws";
import { Visitor } from "../bench/shared/visit.ts";
import { admin } from "../test/e2e/program.ts";
import { again, Person, type Tally } from "../test/replicas/people.ts";
import { Stage } from "./compose/stage.ts";
import type { Outcome, Proof } from "./report.ts";

interface Scenario {
  readonly did: string;
  /** Resolves with what was seen; rejects where something does not hold. */
  readonly play: (stage: Stage, home: Home) => Promise<readonly string[]>;
}

interface Examination {
  readonly findings: readonly { readonly check: string; readonly level: string }[];
}

/** One workspace, which is in use for as long as the proof lasts, and what its home holds. */
class Home {
  readonly id: string;
  readonly person: Person;
  compared = 0;
  readonly #stage: Stage;
  readonly #sum: string;

  static async make(stage: Stage): Promise<Home> {
    const person = await Person.signIn(stage.front, admin);
    const { id } = await person.start("by compose");
    await stage.inside(id, "cd && mkdir kept && head -c 3000000 /dev/urandom > kept/noise && ln -s noise kept/link");
    return new Home(stage, person, id, await stage.inside(id, SUM));
  }

  private constructor(stage: Stage, person: Person, id: string, sum: string) {
    this.#stage = stage;
    this.person = person;
    this.id = id;
    this.#sum = sum;
  }

  async compare(): Promise<void> {
    assert.equal(await this.#stage.inside(this.id, SUM), this.#sum, "the home is not what it was");
    this.compared += 1;
  }
}
const SUM = "cd && tar --sort=name -cf - kept | sha256sum";

/** Every program of the home's container goes on, and so does whoever works there. */
async function whileAtWork(home: Home, act: () => Promise<unknown>): Promise<{ tally: Tally; socket: WebSocket }> {
  const tally: Tally = { answered: 0, reconnected: 0, failed: [] };
  const over = new AbortController();
  const socket = await home.person.socket(home.id);
  const ask = async (): Promise<void> => {
    const status = await home.person.askIde(home.id);
    if (status !== 200) throw new Error(`the IDE said ${status}`);
  };
  const people = [1, 2, 3].map(() => again(over.signal, tally, ask));
  try {
    await act();
  } finally {
    over.abort();
    await Promise.all(people);
  }
  assert.deepEqual([...new Set(tally.failed)], []);
  return { tally, socket };
}

async function ready(stage: Stage): Promise<boolean> {
  const visitor = new Visitor(stage.front.baseUrl, "");
  return (await visitor.ask(`${stage.front.baseUrl}/readyz`)).status === 200;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  open: {
    did: "signed in over TLS, opened the IDE, archived its home into the store and brought it back",
    play: async (stage, home) => {
      const { person, id } = home;
      const visitor = new Visitor(stage.front.baseUrl, "");
      const metrics = `${stage.front.baseUrl}/metrics`;
      const told = await visitor.ask(metrics, { authorization: `Bearer ${stage.metricsToken}` });
      assert.deepEqual([(await visitor.ask(metrics)).status, told.status], [401, 200]);
      await person.api("PATCH", `/workspaces/${id}`, { desired_state: "ARCHIVED" });
      await person.reaches(id, "ARCHIVED");
      await person.api("PATCH", `/workspaces/${id}`, { desired_state: "RUNNING" });
      await person.reaches(id, "RUNNING");
      await home.compare();
      const said = await stage.compose("logs", "server", "proxy");
      assert.doesNotMatch(said, /engine's streams|published on loopback/);
      const words = ["sh", "-c", "codehub doctor --json; true"];
      const { findings } = JSON.parse(await stage.compose("exec", "-T", "server", ...words)) as Examination;
      const broken = findings.filter(({ level }) => level === "broken").map(({ check }) => check);
      // The names are examples, which no name server knows.
      assert.deepEqual(broken, ["dns"]);
      return [
        "jobs by sockets and workspaces by their own addresses",
        "codehub doctor finds nothing broken but the names, which are examples",
      ];
    },
  },
  "server-anew": {
    did: "made the server's container anew while somebody worked",
    play: async (stage, home) => {
      const { tally, socket } = await whileAtWork(home, async () => {
        await stage.compose("up", "-d", "--no-deps", "--force-recreate", "server");
        await stage.untilReady(() => ready(stage));
      });
      assert.equal(socket.readyState, socket.OPEN, "a WebSocket was cut");
      socket.terminate();
      await home.compare();
      return [`${tally.answered} requests to the IDE, none failed`, "its WebSocket was not cut"];
    },
  },
  "proxy-anew": {
    did: "made the proxy's container anew while somebody worked",
    play: async (stage, home) => {
      const { tally, socket } = await whileAtWork(home, async () => {
        await stage.compose("up", "-d", "--no-deps", "--force-recreate", "proxy");
        await stage.untilReady(() => ready(stage));
      });
      socket.terminate();
      (await home.person.socket(home.id)).terminate();
      await home.compare();
      return [`${tally.answered} requests to the IDE, none failed`, "a WebSocket is opened again"];
    },
  },
  "down-and-up": {
    did: "removed every container but the store's, which has its objects in memory here, and started all again",
    play: async (stage, home) => {
      await stage.compose("rm", "-s", "-f", "front", "proxy", "server", "postgres", "redis");
      await home.compare();
      await stage.compose("up", "-d");
      await stage.untilReady(() => ready(stage));
      await home.person.reaches(home.id, "RUNNING");
      assert.equal(await home.person.askIde(home.id), 200);
      await home.compare();
      return ["the workspace went on meanwhile, and its owner is still signed in"];
    },
  },
};

/** What deploy/compose starts, as an operator does it, with images made of Debian's packages. */
export const proof: Proof = {
  scenarios: Object.fromEntries(Object.entries(SCENARIOS).map(([name, { did }]) => [name, did])),
  run: async (names, tell, signal) => {
    await using stage = await Stage.open(tell);
    const begun = performance.now();
    await stage.compose("up", "-d");
    await stage.untilReady(() => ready(stage));
    const upSeconds = (performance.now() - begun) / 1000;
    tell(`docker-compose up: ready after ${upSeconds.toFixed(0)} s`);
    const home = await Home.make(stage);
    tell(`the IDE answers ${((performance.now() - begun) / 1000).toFixed(0)} s after docker-compose up`);
    const outcomes: Outcome[] = [];
    for (const name of names) {
      const scenario = SCENARIOS[name];
      if (scenario === undefined || signal.aborted) continue;
      tell(`${name}: ${scenario.did}`);
      outcomes.push(await playOne(name, scenario, stage, home));
      tell(`  ${outcomes.at(-1)?.violation ?? "held"}`);
    }
    return outcomes;
  },
};

async function playOne(name: string, scenario: Scenario, stage: Stage, home: Home): Promise<Outcome> {
  const [begun, before] = [performance.now(), home.compared];
  const seen = await scenario.play(stage, home).then(
    (saw) => ({ saw, violation: null }),
    (error: unknown) => ({ saw: [], violation: error instanceof Error ? error.message : String(error) }),
  );
  const seconds = (performance.now() - begun) / 1000;
  return { name, did: scenario.did, ...seen, homes: home.compared - before, seconds };
}
