import { setTimeout as delay } from "node:timers/promises";
import { DrillStage } from "./drill/stage.ts";
import type { Outcome, Proof } from "./report.ts";

const FROZEN_MS = 12_000;
const AWAY_MS = 10_000;

interface Scenario {
  /** What is done to the system, in words. */
  readonly did: string;
  /** Happens while a home is being archived and people work; resolves with what was seen. */
  readonly happen: (stage: DrillStage) => Promise<readonly string[]>;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "leader-killed": {
    did: "the leading server is killed (SIGKILL) in the middle of an archive",
    happen: async (stage) => {
      const { epoch, pid } = await stage.leader();
      process.kill(pid, "SIGKILL");
      return [`another led after ${(await stage.nextLeader(epoch)).toFixed(1)} s`];
    },
  },
  "leader-frozen": {
    did: `the leading server is stopped (SIGSTOP) in the middle of an archive, and goes on after ${FROZEN_MS / 1_000} s`,
    happen: async (stage) => {
      const { epoch, pid } = await stage.leader();
      process.kill(pid, "SIGSTOP");
      try {
        const seconds = await stage.nextLeader(epoch);
        await delay(Math.max(0, FROZEN_MS - seconds * 1_000));
        return [`another led after ${seconds.toFixed(1)} s`];
      } finally {
        process.kill(pid, "SIGCONT");
      }
    },
  },
  "database-killed": {
    did: "PostgreSQL is killed (SIGKILL) in the middle of an archive, and started again",
    happen: async (stage) => [`it answered again after ${(await stage.killDatabase()).toFixed(1)} s`],
  },
  "redis-away": {
    did: `Redis is killed in the middle of an archive, and comes back empty after ${AWAY_MS / 1_000} s`,
    happen: async (stage) => {
      await stage.redis.kill();
      await delay(AWAY_MS);
      await stage.redis.start();
      return [];
    },
  },
  "replicas-in-turn": {
    did: "each replica is stopped in order and started again, one after the other",
    happen: async (stage) => {
      for (const replica of stage.replicas) {
        await replica.stop();
        await replica.start();
      }
      return [];
    },
  },
};

/** What an operator tries before trusting several replicas: each part fails while people work, and homes are compared byte for byte. */
export const proof: Proof = {
  scenarios: Object.fromEntries(Object.entries(SCENARIOS).map(([name, { did }]) => [name, did])),
  run: async (names, tell, signal) => {
    await using stage = await DrillStage.open(tell);
    const outcomes: Outcome[] = [];
    for (const name of names) {
      const scenario = SCENARIOS[name];
      if (scenario === undefined || signal.aborted) continue;
      tell(`${name}: ${scenario.did}`);
      const outcome = await play(stage, name, scenario);
      tell(`  ${outcome.violation ?? "held"}: ${outcome.saw.join("; ")}`);
      outcomes.push(outcome);
    }
    return outcomes;
  },
};

async function play(stage: DrillStage, name: string, { did, happen }: Scenario): Promise<Outcome> {
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1_000;
  const home = await stage.makeHome(name);
  const people = stage.sendPeople();
  let saw: readonly string[] = [];
  let violation: string | null = null;
  const note = (error: unknown): void => {
    violation ??= String(error);
  };
  await stage
    .archiveThrough(home, () => happen(stage))
    .then((found) => {
      saw = found;
    }, note);
  await people.goHome().then((seen) => {
    saw = [...saw, ...seen];
  }, note);
  if (people.lostAtIde > 0) note(`${people.lostAtIde} requests to a workspace that ran were lost`);
  return { name, did, saw, homes: violation === null ? 1 : 0, seconds: seconds(), violation };
}
