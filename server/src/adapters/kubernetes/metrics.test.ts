import { describe, expect, it, test } from "vitest";
import { seen, unseen } from "#core/rows/observation.ts";
import { apiServer, json, refuse } from "../../../test/kubernetes/api-server-stub.ts";
import { coresOf, PodUse, workOr } from "./metrics.ts";

const groups = (...names: string[]) => ({ kind: "APIGroupList", groups: names.map((name) => ({ name })) });
const METRICS = {
  metadata: {},
  items: [
    {
      metadata: { name: "ws-a" },
      containers: [
        { name: "relay", usage: { cpu: "900m", memory: "1Gi" } },
        { name: "ide", usage: { cpu: "1500000000n", memory: "256Mi" } },
      ],
    },
  ],
};
const gone = (why: string) => ({ cpu: unseen(why), memoryBytes: unseen(why) });

type Answering = Parameters<typeof apiServer>[0];
async function ask(answer: Answering) {
  const { cluster, asked } = await apiServer(answer);
  const use = new PodUse(cluster, "ns", "11111111-1111-4111-8111-111111111111");
  return { use, asked };
}
const having =
  (rest: Answering): Answering =>
  (asked, response, count) =>
    asked.path === "/apis" ? json(response, 200, groups("apps", "metrics.k8s.io")) : rest(asked, response, count);

describe("what the cluster's metrics say", () => {
  it("is what the IDE's container uses, asked for once for all pods", async () => {
    const { use, asked } = await ask(having((_asked, response) => json(response, 200, METRICS)));
    const all = await use.ask();
    expect(workOr(all, "ws-a")).toEqual({ cpu: seen({ cores: 1.5 }), memoryBytes: seen(256 * 2 ** 20) });
    expect(workOr(all, "ws-young")).toEqual(gone("soon"));
    await use.ask();
    expect(asked.map(({ path }) => path)).toEqual([
      "/apis",
      "/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods",
      "/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods",
    ]);
  });

  it("is nothing where there is no metrics server, and nobody is asked for it again at once", async () => {
    const { use, asked } = await ask((_asked, response) => json(response, 200, groups("apps")));
    expect(workOr(await use.ask(), "ws-a")).toEqual(gone("no_metrics_server"));
    await use.ask();
    expect(asked).toHaveLength(1);
  });

  it("is nothing where the Role does not allow it", async () => {
    const { use } = await ask(having((_asked, response) => refuse(response, 403, "Forbidden")));
    expect(workOr(await use.ask(), "ws-a")).toEqual(gone("not_allowed"));
  });
});

test.each([
  ["250m", 0.25],
  ["123456789n", 0.123456789],
  ["7u", 0.000007],
  ["2", 2],
  ["1.5", 1.5],
  ["", null],
  ["12Mi", null],
  ["-1", null],
])("%s is so many cores", (text, cores) => expect(coresOf(text)).toBe(cores));
