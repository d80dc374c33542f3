import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { begun } from "./control-plane.ts";
import { type Home, journalOf, KEEP_WRITING } from "./home.ts";
import type { Scenario, Stage } from "./stage.ts";
import { Steps } from "./steps.ts";

/** The most telling of it in little time, for every run of the tests. */
export const short: Scenario = {
  did: "the coordinator is killed while a job packs a home; etcd and the API server are killed while a workspace starts; a kubelet is killed while its workspace writes and is to stop",
  play: async (stage) => {
    const [packed, started, stopped] = await Promise.all([
      stage.newHome("packed"),
      stage.newHome("started"),
      stage.newHome("stopped", "RUNNING"),
    ]);
    const killedAt = await killedWhilePacking(stage, packed);
    await stage.reaches(packed.id, "ARCHIVED");
    await stage.ask(packed.id, "STANDBY");
    await withoutControlPlane(stage, started);
    await stage.reaches(packed.id, "STANDBY");
    await stage.compare(packed, "restored");
    const lines = await withoutKubelet(stage, stopped);
    await stage.compare(stopped, "after the kubelet was back");
    await stage.take(started, "STANDBY");
    await stage.compare(started, "after the API server was back");
    return [`killed at: ${killedAt}`, "all went through", `${lines} lines written, none lost`];
  },
};

async function killedWhilePacking(stage: Stage, home: Home): Promise<string> {
  await using steps = await Steps.open(stage);
  const where = await steps.killAt("pod pack running", home, "ARCHIVED");
  assert.ok(where !== null, "it was killed");
  return where;
}

async function withoutControlPlane(stage: Stage, home: Home): Promise<void> {
  await stage.ask(home.id, "RUNNING");
  await begun(stage, home.id);
  await Promise.all([stage.part("kill", "etcd"), stage.part("kill", "apiserver")]);
  await delay(2_000);
  await stage.part("start", "etcd");
  await stage.part("start", "apiserver");
  await stage.reaches(home.id, "RUNNING");
}

/** Asked to end, and nobody there who could say that it did. */
async function withoutKubelet(stage: Stage, home: Home): Promise<number> {
  await stage.inside(home, KEEP_WRITING);
  const { uid, node } = await stage.running(home);
  await stage.part("kill", `${node}-kubelet`);
  await stage.ask(home.id, "STANDBY");
  await stage.eventually("its end was asked for", async () => {
    assert.ok((await stage.podOf(home))?.metadata.deletionTimestamp !== undefined);
  });
  const before = journalOf(await stage.homePath(home.id));
  await delay(4_000);
  const [pod, { phase }] = await Promise.all([stage.podOf(home), stage.look(home.id)]);
  assert.deepEqual([pod?.metadata.uid, phase], [uid, "RUNNING"], "it is not taken for gone");
  assert.ok(journalOf(await stage.homePath(home.id)) > before, "it went on writing");
  await stage.part("start", `${node}-kubelet`);
  await stage.reaches(home.id, "STANDBY");
  return journalOf(await stage.homePath(home.id));
}
