import { expect, test } from "vitest";
import { Stage } from "./stage.ts";

/** Longer than a lease (3 s), and shorter than the database waits for a silent session. */
const STOPPED_SECONDS = 5;

test("a leader that could not run for longer than its lease goes on in its term, where nobody has taken the lock", async () => {
  const stage = new Stage({ env: { TTL_STANDBY_SECONDS: "0" } });
  const id = await stage.create("STANDBY");
  await stage.reaches(id, "STANDBY");
  const { holder } = stage.cluster.elections;
  if (holder === null) throw new Error("nobody leads");
  const { process } = holder;
  const term = stage.cluster.elections.turnOf(process);
  for (let stop = 0; stop < 3; stop += 1) {
    process.freeze();
    await stage.pass(STOPPED_SECONDS);
    process.thaw(stage.sim.random);
    await stage.pass(STOPPED_SECONDS);
  }
  expect(stage.cluster.elections.holder).toBe(holder);
  expect(stage.cluster.elections.turnOf(process)).toBe(term);
  const next = await stage.create("RUNNING");
  await stage.reaches(next, "RUNNING");
});

test("one whose lock was taken meanwhile does not", async () => {
  const stage = new Stage({ env: { TTL_STANDBY_SECONDS: "0" } });
  const id = await stage.create("STANDBY");
  await stage.reaches(id, "STANDBY");
  const { elections } = stage.cluster;
  const { holder } = elections;
  if (holder === null) throw new Error("nobody leads");
  const { process } = holder;
  process.freeze();
  elections.drop(holder, false);
  stage.cluster.start(1);
  await stage.until(() => elections.holder !== null);
  const successor = elections.holder;
  process.thaw(stage.sim.random);
  await stage.pass(60);
  expect(elections.holder).toBe(successor);
  const next = await stage.create("RUNNING");
  await stage.reaches(next, "RUNNING");
});
