import { controlPlane } from "./kubernetes/control-plane.ts";
import { deleted } from "./kubernetes/deleted.ts";
import { kills } from "./kubernetes/kills.ts";
import { nodes } from "./kubernetes/nodes.ts";
import { refused } from "./kubernetes/refused.ts";
import { short } from "./kubernetes/short.ts";
import { type Scenario, Stage } from "./kubernetes/stage.ts";
import { stranded } from "./kubernetes/stranded.ts";
import type { Outcome, Proof } from "./report.ts";

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...controlPlane,
  ...nodes,
  ...stranded,
  ...deleted,
  ...refused,
  ...kills,
  short,
};

/** The whole program on a real cluster, and what can happen to either, one thing after the other. */
export const proof: Proof = {
  scenarios: Object.fromEntries(Object.entries(SCENARIOS).map(([name, { did }]) => [name, did])),
  run: async (names, tell, signal) => {
    await using stage = await Stage.open(null, tell);
    const outcomes: Outcome[] = [];
    for (const name of names) {
      const scenario = SCENARIOS[name];
      if (scenario === undefined || signal.aborted) continue;
      tell(`${name}: ${scenario.did}`);
      const outcome = await stage.play(name, scenario, signal);
      tell(`  ${outcome.violation ?? "held"}: ${outcome.saw.join("; ")} (${outcome.seconds.toFixed(0)} s)`);
      outcomes.push(outcome);
    }
    return outcomes;
  },
};
