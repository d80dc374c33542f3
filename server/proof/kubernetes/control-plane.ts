import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault } from "../../test/data/fault-proxy.ts";
import { journalOf, KEEP_WRITING } from "./home.ts";
import type { Scenario, Stage } from "./stage.ts";

/** Two of five requests are answered, after a second: dozens of them one after the other take minutes. That they end, and how, is what is shown. */
const PATIENCE_IN_TROUBLE_SECONDS = 600;

/** What the cluster is led by, stopped, killed and made slow. */
export const controlPlane: Readonly<Record<string, Scenario>> = {
  "kubelet-killed": {
    did: "kill -9 of the kubelet under a workspace that writes, until the cluster has lost sight of its node; then it runs again",
    play: async (stage) => {
      const home = await stage.newHome("kubelet killed", "RUNNING");
      await stage.inside(home, KEEP_WRITING);
      const { uid, node } = await stage.running(home);
      await stage.part("kill", `${node}-kubelet`);
      await stage.eventually("the node is said to be silent", () => isSilent(stage, home.id, node), 90);
      const before = journalOf(await stage.homePath(home.id));
      await stage.part("start", `${node}-kubelet`);
      await stage.eventually("the node is heard again", () => isHeard(stage, home.id));
      assert.equal((await stage.running(home)).uid, uid, "it is the same pod");
      const after = journalOf(await stage.homePath(home.id));
      assert.ok(after > before, "it went on writing");
      await stage.take(home, "STANDBY");
      await stage.compare(home, "after the stop");
      return [`said that ${node} does not answer, touched nothing`, `the same pod went on (${after} lines)`];
    },
  },
  "api-server-restarted": {
    did: "kill -9 of the API server in the middle of a start and beside a running workspace, and its return",
    play: async (stage) => {
      const [steady, starting] = await Promise.all([
        stage.newHome("beside a restart", "RUNNING"),
        stage.newHome("started over a restart"),
      ]);
      const { uid } = await stage.running(steady);
      await stage.ask(starting.id, "RUNNING");
      await begun(stage, starting.id);
      await stage.part("kill", "apiserver");
      await delay(3_000);
      await stage.part("start", "apiserver");
      await stage.reaches(starting.id, "RUNNING");
      await stage.reaches(steady.id, "RUNNING");
      assert.equal((await stage.running(steady)).uid, uid, "who ran went on");
      await Promise.all([stage.take(steady, "STANDBY"), stage.take(starting, "STANDBY")]);
      await stage.compare(steady, "after the restart");
      await stage.compare(starting, "after the restart");
      return ["the start went through by itself", "the other pod was not touched"];
    },
  },
  "etcd-stopped": {
    did: "etcd stopped for fifteen seconds in the middle of an archive and beside a stop that was asked for meanwhile; started again",
    play: async (stage) => {
      const [archived, stopped] = await Promise.all([
        stage.newHome("archived without etcd"),
        stage.newHome("stopped without etcd", "RUNNING"),
      ]);
      await stage.ask(archived.id, "ARCHIVED");
      await begun(stage, archived.id);
      await stage.part("stop", "etcd");
      await stage.ask(stopped.id, "STANDBY");
      await delay(15_000);
      const { phase } = await stage.look(stopped.id);
      assert.equal(phase, "RUNNING", "nothing is concluded from silence");
      await stage.part("start", "etcd");
      await stage.reaches(stopped.id, "STANDBY");
      await stage.compare(stopped, "after the stop");
      await stage.reaches(archived.id, "ARCHIVED");
      await stage.take(archived, "STANDBY");
      await stage.compare(archived, "restored");
      return ["still RUNNING while nothing was known", "stop and archive went through when etcd was back"];
    },
  },
  "api-server-slow": {
    did: "every request to the API server takes up to two seconds, and of five one is answered 429, one 503 and one not at all, for a start, a stop, an archive and a restore",
    play: async (stage) => {
      const home = await stage.newHome("slow");
      const told = { "429": 0, "503": 0, cut: 0, slow: 0 };
      stage.apiServer.fault = troubled(told);
      const took: string[] = [];
      for (const level of ["RUNNING", "STANDBY", "ARCHIVED", "STANDBY"] as const) {
        const begun = performance.now();
        await stage.ask(home.id, level);
        await stage.reaches(home.id, level, PATIENCE_IN_TROUBLE_SECONDS);
        took.push(`${level} after ${Math.round((performance.now() - begun) / 1_000)} s`);
      }
      stage.calm();
      await stage.compare(home, "restored");
      assert.ok(told["429"] > 5 && told["503"] > 5 && told.cut > 5, "there was trouble");
      return [`429: ${told["429"]}, 503: ${told["503"]}, cut: ${told.cut}, slow: ${told.slow}`, took.join(", ")];
    },
  },
};

export async function isSilent(stage: Stage, id: string, node: string): Promise<void> {
  const condition = (await stage.look(id)).conditions["infra.container_present"];
  assert.deepEqual([condition?.reason, condition?.fields?.["node"]], ["NodeSilent", node]);
}

export async function isHeard(stage: Stage, id: string): Promise<void> {
  const { phase, conditions } = await stage.look(id);
  assert.deepEqual([phase, conditions["infra.container_present"]?.status], ["RUNNING", true]);
  assert.notEqual(conditions["infra.container_present"]?.reason, "NodeSilent");
}

/** Its operation has been claimed, and the cluster was asked for a pod. */
export async function begun(stage: Stage, id: string): Promise<void> {
  await stage.eventually("a pod was asked for", async () => {
    const pods = JSON.parse(await stage.kubectl("get", "pods", "-l", `codehub/workspace=${id}`, "-o", "json"));
    assert.ok(pods.items.length > 0);
  });
}

function troubled(told: Record<"429" | "503" | "cut" | "slow", number>): Fault {
  let asked = 0;
  return async (request, response) => {
    const kind = ["none", "429", "503", "cut", "none"][asked++ % 5];
    if (kind === "429") return refuse(response, 429, () => told["429"]++);
    if (kind === "503") return refuse(response, 503, () => told["503"]++);
    told.slow += 1;
    await delay(((asked * 7) % 20) * 100);
    if (kind !== "cut") return undefined;
    told.cut += 1;
    // Done, and nobody is told.
    return request.method === "GET" ? { cutResponseAfter: 10 } : { cutResponseAfter: 0 };
  };
}

function refuse(response: ServerResponse, code: number, count: () => void): "handled" {
  count();
  const reason = code === 429 ? "TooManyRequests" : "ServiceUnavailable";
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason, message: "planted", code };
  response.writeHead(code, { "content-type": "application/json", ...(code === 429 ? { "retry-after": "1" } : {}) });
  response.end(JSON.stringify(body));
  return "handled";
}
