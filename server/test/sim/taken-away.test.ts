import { expect, test } from "vitest";
import { Stage } from "./stage.ts";
import type { SimContainer } from "./world.ts";

async function runningStage(): Promise<{ stage: Stage; id: string; container: () => SimContainer }> {
  const stage = new Stage();
  const id = await stage.create("RUNNING");
  await stage.reaches(id, "RUNNING");
  const container = (): SimContainer => {
    const [one] = stage.cluster.world.containersOf(id);
    if (one === undefined) throw new Error("nothing runs");
    return one;
  };
  return { stage, id, container };
}
const kinds = (stage: Stage, id: string): string[] =>
  stage.commits.filter((commit) => commit.id === id).flatMap(({ events }) => events.map(({ kind }) => kind));

test.each(["exited", "running"] as const)(
  "a drained workspace (%s when it is seen) rests with the reason, and comes back when somebody visits it",
  async (state) => {
    const { stage, id, container } = await runningStage();
    const ended = { code: "drained", fields: { message: "Eviction API: evicting" } };
    const first = container().id;
    if (state === "exited") stage.cluster.world.exitContainer(container(), ended);
    else {
      container().ended = ended;
      stage.cluster.world.onEngineHint(id);
    }
    await stage.reaches(id, "STANDBY");
    await stage.pass(600);
    expect(stage.row(id)).toMatchObject({ phase: "STANDBY", desiredState: "STANDBY", errorReason: null });
    expect(stage.row(id).homeCtx).toMatchObject({
      exits: [],
      ended: { code: "drained", message: "Eviction API: evicting" },
    });
    expect(stage.cluster.world.containersOf(id)).toEqual([]);
    expect(kinds(stage, id).filter((kind) => kind === "taken_away")).toHaveLength(1);
    await stage.does(stage.users.wish(id, "RUNNING"));
    await stage.reaches(id, "RUNNING");
    expect(container().id).not.toBe(first);
    expect(stage.row(id).homeCtx.ended).toBeNull();
  },
);

test("one that used too much memory is started again, and not for ever", async () => {
  const { stage, id, container } = await runningStage();
  const first = container().id;
  stage.cluster.world.exitContainer(container(), { code: "out_of_memory" });
  await stage.until(
    () => stage.row(id).phase === "RUNNING" && stage.row(id).operation === "NONE" && container().id !== first,
  );
  expect(kinds(stage, id)).not.toContain("taken_away");
  for (let again = 0; again < 2; again++) {
    const before = container().id;
    stage.cluster.world.exitContainer(container(), { code: "out_of_memory" });
    await stage.until(
      () =>
        stage.row(id).phase === "ERROR" ||
        (stage.row(id).phase === "RUNNING" && stage.row(id).operation === "NONE" && container().id !== before),
    );
  }
  expect(stage.row(id)).toMatchObject({ phase: "ERROR", homeCtx: { ended: { code: "out_of_memory" } } });
});
