import assert from "node:assert/strict";
import { IDENTITY } from "#adapters/kubernetes/labels.ts";
import type { Claim } from "#adapters/kubernetes/objects.ts";
import type { Scenario, Stage } from "./stage.ts";

/** What somebody deletes who has the right to, and not the idea. */
export const deleted: Readonly<Record<string, Scenario>> = {
  "pod-deleted": {
    did: "kubectl delete of the pod of a running workspace",
    play: async (stage) => {
      const home = await stage.newHome("pod deleted", "RUNNING");
      const { uid } = await stage.running(home);
      await stage.kubectl("delete", "pod", `ws-${home.id}`, "--wait=true");
      await stage.eventually("another pod runs", async () => assert.notEqual((await stage.running(home)).uid, uid));
      await stage.reaches(home.id, "RUNNING");
      await stage.compare(home, "after it was started again");
      await stage.take(home, "STANDBY");
      await stage.compare(home, "after the stop");
      return ["started again by itself"];
    },
  },
  "job-deleted": {
    did: "kubectl delete of the pod of a storage job while it sends an archive, and of another while it reads one",
    play: async (stage) => {
      const home = await stage.newHome("job deleted");
      await whileItMoves(stage, home.id, "PUT", () => stage.ask(home.id, "ARCHIVED"));
      await stage.reaches(home.id, "ARCHIVED");
      await whileItMoves(stage, home.id, "GET", () => stage.ask(home.id, "STANDBY"));
      await stage.reaches(home.id, "STANDBY");
      await stage.compare(home, "restored");
      return ["archived by the next try", "restored by the next try"];
    },
  },
  "claim-deleted": {
    did: "kubectl delete of the claim that is a home, and the way back as docs/operating/kubernetes.md gives it",
    play: async (stage) => {
      const home = await stage.newHome("claim deleted");
      const claim = await claimOf(stage, home.id);
      await stage.kubectl("delete", "pvc", claim, "--wait=false");
      await stage.ask(home.id, "RUNNING");
      const said = await errorOf(stage, home.id);
      assert.match(said, /was deleted by somebody.*docs\/operating\/kubernetes\.md/s);
      await stage.compare(home, "while the claim is Terminating");
      await bringBack(stage, claim);
      const { error } = await stage.look(home.id);
      if (error?.is_terminal) await stage.api.recoverWorkspace({ params: { id: home.id }, body: {} });
      await stage.reaches(home.id, "RUNNING");
      await stage.take(home, "STANDBY");
      await stage.compare(home, "brought back");
      return [
        `said: ${said.slice(0, 120)}…`,
        "data stayed under the finalizer",
        "started after the documented way back",
      ];
    },
  },
};

async function claimOf(stage: Stage, id: string): Promise<string> {
  return (await stage.kubectl("get", "pvc", "-l", `codehub/workspace=${id}`, "-o", "name")).trim().split("/")[1] ?? "";
}

async function errorOf(stage: Stage, id: string): Promise<string> {
  let said = "";
  await stage.eventually("the workspace says what is wrong", async () => {
    const { error } = await stage.look(id);
    said = `${error?.message} ${error?.detail}`;
    assert.ok(error !== null);
  });
  return said;
}

/** Holds back the job's first word with the store, takes its pod away, and lets the word go to nobody. */
async function whileItMoves(stage: Stage, id: string, method: string, begin: () => Promise<void>): Promise<void> {
  const letGo = await heldAtStore(stage, method, begin);
  await stage.kubectl("delete", "pod", "-l", `codehub/role=job,codehub/workspace=${id}`, "--wait=true");
  letGo();
}

/** Begins it, and resolves when a job stands at its first word with the store; it goes on when it is let go. */
export async function heldAtStore(stage: Stage, method: string, begin: () => Promise<void>): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  const moving = Promise.withResolvers<void>();
  stage.store.fault = async (request) => {
    // Jobs have signed addresses, and the server signs by its header.
    if (request.method !== method || !request.url?.includes("X-Amz-Signature")) return undefined;
    moving.resolve();
    await held.promise;
    return undefined;
  };
  await begin();
  await moving.promise;
  return () => {
    stage.store.fault = () => undefined;
    held.resolve();
  };
}

/** To the letter what the page says. */
async function bringBack(stage: Stage, name: string): Promise<void> {
  const claim = JSON.parse(await stage.kubectl("get", "pvc", name, "-o", "json")) as Claim & Record<string, unknown>;
  const disk = claim.spec?.volumeName ?? "";
  const off = (path: string): string => JSON.stringify([{ op: "remove", path }]);
  await stage.kubectl("patch", "pv", disk, "-p", '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}');
  await stage.kubectl("patch", "pvc", name, "--type=json", "-p", off("/metadata/finalizers"));
  await stage.kubectl("wait", "--for=delete", `pvc/${name}`, "--timeout=60s");
  await stage.kubectl("patch", "pv", disk, "--type=json", "-p", off("/spec/claimRef"));
  const { labels, annotations, finalizers } = claim.metadata;
  const { status: _, ...rest } = claim;
  const identity = { [IDENTITY]: annotations?.[IDENTITY] };
  const anew = { ...rest, metadata: { name, labels, annotations: identity, finalizers } };
  await stage.plane.harness.admin.create(stage.path("persistentvolumeclaims"), anew);
}
