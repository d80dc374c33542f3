import assert from "node:assert/strict";
import type { Home } from "./home.ts";
import type { Level, Scenario, Stage } from "./stage.ts";
import { Steps } from "./steps.ts";

interface Way {
  readonly name: string;
  readonly from: Level;
  readonly to: Level;
}

/** There and back again, so that what one leaves is what the other begins with. */
const WAYS: readonly (readonly [Way, Way])[] = [
  [
    { name: "start", from: "STANDBY", to: "RUNNING" },
    { name: "stop", from: "RUNNING", to: "STANDBY" },
  ],
  [
    { name: "archive", from: "STANDBY", to: "ARCHIVED" },
    { name: "restore", from: "ARCHIVED", to: "STANDBY" },
  ],
];

/** An operation has fewer steps than this; more would mean that it never gets through. */
const MOST_STEPS = 100;

/** Both ways of one pair, again and again, each time killed one step later, until both run through. */
export const kills: Readonly<Record<string, Scenario>> = Object.fromEntries(
  WAYS.map(([there, back]) => [
    `killed-in-${there.name}-and-${back.name}`,
    {
      did:
        `kill -9 of the coordinator at every step of a ${there.name} and of a ${back.name}: before and after every change that is ` +
        "asked of the cluster and of the store, and after every change of its row and of its pods",
      play: (stage: Stage) => killedAtEveryStep(stage, there, back),
    },
  ]),
);

/** Where to begin: one that was interrupted goes on there. */
const firstStep = (): number => Number(process.env["PROOF_FIRST_STEP"] ?? 1);

async function killedAtEveryStep(stage: Stage, there: Way, back: Way): Promise<string[]> {
  await using steps = await Steps.open(stage);
  const home = await stage.newHome(`killed in ${there.name} and ${back.name}`);
  const killedAt = new Map<string, string[]>([
    [there.name, []],
    [back.name, []],
  ]);
  let left: readonly Way[] = [there, back];
  for (let step = firstStep(); left.length > 0; step++) {
    assert.ok(step <= MOST_STEPS, `there is no end: ${JSON.stringify([...killedAt])}`);
    for (const way of [there, back]) {
      const where = await onceKilled(steps, stage, home, way, left.includes(way) ? step : null);
      if (where === null) left = left.filter((one) => one !== way);
      else killedAt.get(way.name)?.push(where);
    }
  }
  return [...killedAt].map(([name, where]) => `${name}: ${where.length} steps (${where.join(", ")})`);
}

/** Null when it ran through. What is archived is compared when it is back. */
async function onceKilled(steps: Steps, stage: Stage, home: Home, { to, name }: Way, step: number | null) {
  const where = step === null ? await stage.take(home, to) : await steps.killAt(step, home, to);
  const when = `${name} ${where === null ? "without a kill" : `killed at ${step}, ${where}`}`;
  stage.tell(`  ${when}`);
  try {
    await stage.reaches(home.id, to);
    if (to !== "ARCHIVED") await stage.compare(home, "then");
  } catch (error) {
    throw new Error(`${when}: ${String(error)}`);
  }
  return where;
}
