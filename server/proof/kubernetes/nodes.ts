import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ask } from "../../test/runtime/ask.ts";
import { isSilent } from "./control-plane.ts";
import { type Home, journalOf, KEEP_WRITING } from "./home.ts";
import type { Scenario, Stage } from "./stage.ts";

/** What a pod has to say of itself in a namespace of the restricted level. */
const RESTRICTED = JSON.stringify({
  spec: {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        ...{ name: "probe", image: "none" },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      },
    ],
  },
});

/** What happens to the node under a workspace, or to what it may use there. */
export const nodes: Readonly<Record<string, Scenario>> = {
  "node-cut": {
    did: "the node of a workspace that writes is cut off from the API server, and its stop is asked for; half a minute later the node is reached again",
    play: async (stage) => {
      const home = await stage.newHome("cut off", "RUNNING");
      await stage.inside(home, KEEP_WRITING);
      const { uid, node } = await stage.running(home);
      await stage.tool("node-cut", node);
      try {
        await stage.eventually("the node is said to be silent", () => isSilent(stage, home.id, node), 90);
        await stage.ask(home.id, "STANDBY");
        const path = await stage.homePath(home.id);
        const before = journalOf(path);
        await delay(30_000);
        const [pod, { phase }] = await Promise.all([stage.podOf(home), stage.look(home.id)]);
        assert.equal(pod?.metadata.uid, uid, "its pod is not taken for gone");
        assert.equal(phase, "RUNNING", "it is not taken for stopped");
        assert.ok(journalOf(path) > before, "it went on writing");
      } finally {
        await stage.tool("node-heal", node);
      }
      await stage.reaches(home.id, "STANDBY");
      const lines = journalOf(await stage.homePath(home.id));
      await stage.compare(home, "after the node was back");
      await stage.take(home, "RUNNING");
      await stage.inside(home, KEEP_WRITING);
      await stage.eventually("the next one goes on where it ended", async () => {
        assert.ok(journalOf(await stage.homePath(home.id)) > lines);
      });
      await stage.take(home, "STANDBY");
      await stage.compare(home, "after the next start");
      return [
        "nothing was forced, nothing started elsewhere",
        `${lines} lines written, none lost`,
        "stopped when healed",
      ];
    },
  },
  drained: {
    did: "kubectl drain of the node under a workspace, without --force",
    play: async (stage) => {
      const home = await stage.newHome("drained", "RUNNING");
      const { node } = await stage.running(home);
      await stage.kubectl("drain", node, "--pod-selector=codehub/deployment", "--timeout=120s");
      try {
        await stage.reaches(home.id, "STANDBY");
        await stage.compare(home, "after the drain");
        const told = await stage.history(home.id);
        assert.ok(
          told.some((line) => line.includes("drained")),
          `the reason is told: ${told.join(", ")}`,
        );
        await stage.take(home, "RUNNING");
        assert.notEqual((await stage.running(home)).node, node, "it came back elsewhere");
      } finally {
        await stage.kubectl("uncordon", node);
      }
      await stage.take(home, "STANDBY");
      await stage.compare(home, "after the other node");
      return ["rested and said why", "came back on another node"];
    },
  },
  evicted: {
    did: "a workspace fills the node's own disk beyond what a LimitRange allows, and the kubelet evicts it",
    play: async (stage) => {
      await stage.plane.harness.admin.create(stage.path("limitranges"), {
        apiVersion: "v1",
        kind: "LimitRange",
        metadata: { name: "scratch" },
        spec: { limits: [{ type: "Container", default: { "ephemeral-storage": "50Mi" } }] },
      });
      try {
        // Whoever applies it hears of it a moment later.
        const probe = ["run", "probe", "--image=none", "--dry-run=server", "-o", "json", `--overrides=${RESTRICTED}`];
        await stage.eventually("the limit holds", async () =>
          assert.match(await stage.kubectl(...probe), /"ephemeral-storage"/),
        );
        const home = await stage.newHome("evicted", "RUNNING");
        await stage.inside(home, "head -c 209715200 /dev/zero > /tmp/scratch");
        await stage.reaches(home.id, "STANDBY");
        const told = await stage.history(home.id);
        assert.ok(
          told.some((line) => line.includes("evicted")),
          `the reason is told: ${told.join(", ")}`,
        );
        await stage.compare(home, "after the eviction");
        await stage.take(home, "RUNNING");
        await stage.take(home, "STANDBY");
        await stage.compare(home, "after the next start");
        return ["rested and said why", "came back at the next visit"];
      } finally {
        await stage.kubectl("delete", "limitrange", "scratch");
      }
    },
  },
  "out-of-memory": {
    did: "a workspace uses more memory than it may",
    play: async (stage) => {
      const home = await stage.newHome("out of memory", "RUNNING");
      const { uid, host } = await stage.running(home);
      await ask({ address: { kind: "tcp", host, port: 8080 } }, "/exhaust").catch(() => undefined);
      await stage.eventually("another pod runs", async () => assert.notEqual((await stage.running(home)).uid, uid));
      await stage.reaches(home.id, "RUNNING");
      const told = await reasonsOf(stage, home);
      assert.ok(told.includes("out_of_memory"), `the reason is told: ${told}`);
      await stage.take(home, "STANDBY");
      await stage.compare(home, "after it");
      return ["said why it ended", "started again by itself"];
    },
  },
};

async function reasonsOf(stage: Stage, { id }: Home): Promise<string> {
  return JSON.stringify((await stage.api.listHistory({ params: { id }, query: {} })).items);
}
