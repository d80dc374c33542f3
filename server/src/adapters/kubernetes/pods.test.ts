import { expect, it } from "vitest";
import { apiServer, json, refuse } from "../../../test/kubernetes/api-server-stub.ts";
import { Pods } from "./pods.ts";

const POD = { metadata: { name: "ws-1", uid: "u", resourceVersion: "1" }, spec: {} };
const id = { name: "ws-1", uid: "u" };
/** As often as one question is asked before it is given up. */
const TRIES = 4;

it("waits on for a pod while the cluster does not answer for a moment: what has begun is not thrown away for that", async () => {
  let looks = 0;
  const { cluster } = await apiServer(({ path }, response) => {
    if (!path.endsWith("/ws-1")) return refuse(response, 503, "ServiceUnavailable");
    looks += 1;
    if (looks > 1 && looks <= 1 + TRIES) return void response.destroy();
    return json(response, 200, POD);
  });
  const pods = new Pods(cluster, "ns", "d");
  let answers = 0;
  const end = pods.until(id, AbortSignal.timeout(20_000), () => (++answers === 2 ? "there" : null));
  await expect(end).resolves.toBe("there");
  expect(looks).toBe(2 + TRIES);
}, 30_000);

it("does not wait for one that is gone, nor for a cluster that refuses", async () => {
  const { cluster } = await apiServer(({ path }, response) =>
    path.endsWith("/ws-1")
      ? refuse(response, 404, "NotFound", { name: "ws-1" })
      : refuse(response, 403, "Forbidden", { name: "ws-2" }),
  );
  const pods = new Pods(cluster, "ns", "d");
  const signal = AbortSignal.timeout(20_000);
  await expect(pods.until(id, signal, () => null)).rejects.toThrow(/removed by somebody else/);
  await expect(pods.until({ name: "ws-2", uid: "u" }, signal, () => null)).rejects.toThrow(/Forbidden/);
});

it("asks for a pod again where nobody knows whether it was made: its name is taken once, and whose it is stands in its labels", async () => {
  const labels = { attempt: "a" };
  let isMade = false;
  const { cluster, asked } = await apiServer(({ method }, response) => {
    if (method !== "POST") return json(response, 200, { ...POD, metadata: { ...POD.metadata, labels } });
    if (isMade) return refuse(response, 409, "AlreadyExists", { name: "ws-1" });
    isMade = true;
    return refuse(response, 504, "Timeout");
  });
  const pods = new Pods(cluster, "ns", "d");
  expect((await pods.create({ metadata: { name: "ws-1", labels } }))?.metadata.uid).toBe("u");
  expect(asked.map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
  expect(await pods.create({ metadata: { name: "ws-1", labels: { attempt: "b" } } })).toBeNull();
});

it("asks again for the end of exactly this pod where nobody knows whether that was heard", async () => {
  let deletes = 0;
  const { cluster } = await apiServer(({ method, path }, response) => {
    if (method === "DELETE" && ++deletes === 1) return void response.destroy();
    if (!path.endsWith("/ws-1")) return refuse(response, 503, "ServiceUnavailable");
    return refuse(response, 404, "NotFound", { name: "ws-1" });
  });
  await new Pods(cluster, "ns", "d").remove(id, 1);
  expect(deletes).toBe(2);
});
