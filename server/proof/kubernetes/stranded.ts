import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ROLE, WORKSPACE } from "#adapters/kubernetes/labels.ts";
import type { Pod } from "#adapters/kubernetes/objects.ts";
import { silentNodeOf } from "#adapters/kubernetes/silent-node.ts";
import { heldAtStore } from "./deleted.ts";
import type { Home } from "./home.ts";
import type { Level, Scenario, Stage } from "./stage.ts";

interface Way {
  readonly to: Level;
  readonly operation: string;
  /** What its job asks the store for first. */
  readonly method: "PUT" | "GET";
}

const ARCHIVE: Way = { to: "ARCHIVED", operation: "ARCHIVING", method: "PUT" };
const RESTORE: Way = { to: "STANDBY", operation: "RESTORING", method: "GET" };

/** The cluster's own name for an operator's word that a node is off. */
const OFF = "node.kubernetes.io/out-of-service";

/** A storage job on a node that goes. */
export const stranded: Readonly<Record<string, Scenario>> = {
  "job-node-off": {
    did: "the node of an archive job loses its power, and later that of a restore job, and the coordinator is killed; the next one asks for the job's end; half a minute later an operator says that the node is off (taint out-of-service)",
    play: async (stage) => {
      const home = await stage.newHome("job without power");
      const dead = [await withoutPower(stage, home, ARCHIVE), await withoutPower(stage, home, RESTORE)];
      await stage.compare(home, "restored");
      await takesToRunning(stage, home);
      return [
        `${dead.join(", then ")}: the job was there until the word`,
        "archived and restored elsewhere after it",
        "opens",
      ];
    },
  },
  "job-node-cut": {
    did: "the node of an archive job is cut off from the API server while the job works on, and half a minute later reached again; then the same under a restore job, and the coordinator is killed meanwhile",
    play: async (stage) => {
      const home = await stage.newHome("job cut off");
      const cut = [
        await cutOff(stage, home, ARCHIVE, async () => {}),
        await cutOff(stage, home, RESTORE, () => anotherLeader(stage, home)),
      ];
      await stage.compare(home, "restored");
      await takesToRunning(stage, home);
      return [`${cut.join(", then ")}: no other job beside it`, "archived and restored when healed", "opens"];
    },
  },
};

async function takesToRunning(stage: Stage, home: Home): Promise<void> {
  await stage.take(home, "RUNNING");
  await stage.take(home, "STANDBY");
  await stage.compare(home, "after the next start");
}

async function withoutPower(stage: Stage, home: Home, way: Way): Promise<string> {
  const { uid, node, letGo } = await atWork(stage, home, way);
  await stage.part("kill", node);
  try {
    letGo();
    await lostFromSight(stage, home);
    await anotherLeader(stage, home);
    await waitsFor(stage, home, way, uid);
    await taint(stage, node, [{ key: OFF, value: "off", effect: "NoExecute" }]);
    await stage.reaches(home.id, way.to);
  } finally {
    await stage.part("start", node);
    await stage.kubectl("wait", "--for=condition=Ready", `node/${node}`, "--timeout=120s");
    await taint(stage, node, null);
  }
  return node;
}

async function cutOff(stage: Stage, home: Home, way: Way, meanwhile: () => Promise<void>): Promise<string> {
  const { uid, node, letGo } = await atWork(stage, home, way);
  await stage.tool("node-cut", node);
  try {
    // It has the store, and nobody who would hear what became of it.
    letGo();
    await lostFromSight(stage, home);
    await meanwhile();
    await waitsFor(stage, home, way, uid);
  } finally {
    await stage.tool("node-heal", node);
  }
  await stage.reaches(home.id, way.to);
  return node;
}

/** Where its job runs that has just begun to send or to read. */
async function atWork(stage: Stage, home: Home, { to, method }: Way) {
  const letGo = await heldAtStore(stage, method, () => stage.ask(home.id, to));
  const { metadata, spec } = await jobOf(stage, home);
  return { uid: metadata.uid, node: spec.nodeName ?? "", letGo };
}

async function lostFromSight(stage: Stage, home: Home): Promise<void> {
  await stage.eventually(
    "the cluster has lost sight of the job",
    async () => assert.ok(silentNodeOf(await jobOf(stage, home), Date.now()) !== null),
    90,
  );
}

/** The first thing it does with this operation is to end the job of the one before. */
async function anotherLeader(stage: Stage, home: Home): Promise<void> {
  await stage.program.crashServer();
  await stage.eventually("the job is asked to end", async () => {
    assert.ok((await jobOf(stage, home)).metadata.deletionTimestamp !== undefined);
  });
}

/** Half a minute in which nothing is concluded from silence. */
async function waitsFor(stage: Stage, home: Home, way: Way, uid: string): Promise<void> {
  await delay(30_000);
  const [job, { operation }] = await Promise.all([jobOf(stage, home), stage.look(home.id)]);
  assert.deepEqual([job.metadata.uid, operation], [uid, way.operation], "it is not taken for gone");
  if (way === ARCHIVE) await stage.compare(home, "while its job is on a node that says nothing");
}

/** There is one at a time. */
async function jobOf(stage: Stage, { id }: Home): Promise<Pod> {
  const { admin } = stage.plane.harness;
  const jobs = await admin.list<Pod>(stage.path("pods"), { [ROLE]: "job", [WORKSPACE]: id });
  const [job] = jobs;
  assert.ok(job !== undefined && jobs.length === 1, `${jobs.length} jobs instead of one`);
  return job;
}

async function taint(stage: Stage, node: string, taints: readonly object[] | null): Promise<void> {
  await stage.plane.harness.admin.patch(`/api/v1/nodes/${node}`, { spec: { taints } });
}
