import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { apiServer, json, refuse } from "../../../test/kubernetes/api-server-stub.ts";
import type { Pod } from "./objects.ts";
import { lookOf, PodWatch } from "./pod-watch.ts";

describe("reading", () => {
  it("takes for absent only what an API server says of this very object", async () => {
    const { cluster } = await apiServer(({ path }, response) => {
      if (path === "/gone") refuse(response, 404, "NotFound", { name: "gone" });
      else if (path === "/proxy") response.writeHead(404).end("<html>404</html>");
      else refuse(response, 404, "NotFound");
    });
    expect(await cluster.read("/gone")).toBeNull();
    await expect(cluster.read("/proxy")).rejects.toMatchObject({ reason: "Unreachable" });
    await expect(cluster.read("/unknown-resource")).rejects.toMatchObject({ reason: "Unreachable" });
  });

  it("asks again through hiccups, and says so when they last", async () => {
    const { cluster, asked } = await apiServer(({ path }, response, count) => {
      if (path === "/away" || count < 3) refuse(response, 500, "InternalError");
      else json(response, 200, { fine: true });
    });
    expect(await cluster.read("/hiccup")).toEqual({ fine: true });
    expect(asked).toHaveLength(3);
    await expect(cluster.read("/away", { timeoutMs: 1_000 })).rejects.toThrow(/InternalError/);
  });

  it("asks for as long as there is time while it is told that there is too much to do, and not so of one that is away", async () => {
    const { cluster, asked } = await apiServer(({ path }, response, count) => {
      if (path === "/away") response.destroy();
      else if (count <= 5) json(response, 429, { kind: "Status" }, { "retry-after": "0" });
      else json(response, 200, { fine: true });
    });
    expect(await cluster.read("/busy", { timeoutMs: 20_000 })).toEqual({ fine: true });
    expect(asked).toHaveLength(6);
    await expect(cluster.read("/away", { timeoutMs: 20_000 })).rejects.toMatchObject({ reason: "Unreachable" });
    expect(asked).toHaveLength(10);
  }, 30_000);

  it("ends in its time when nothing is said", async () => {
    const { cluster } = await apiServer(() => {});
    await expect(cluster.read("/silent", { timeoutMs: 200 })).rejects.toMatchObject({ reason: "Unreachable" });
  });

  it("does not take half an answer for one", async () => {
    const { cluster } = await apiServer((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"items":[');
      setImmediate(() => response.destroy());
    });
    await expect(cluster.read("/half", { timeoutMs: 1_000 })).rejects.toMatchObject({ reason: "Unreachable" });
  });

  it("asks again where an answer that seems whole breaks off", async () => {
    const { cluster, asked } = await apiServer((_, response, count) => {
      if (count === 1) response.writeHead(200, { "content-type": "application/json" }).end('{"kind":"Po');
      else json(response, 200, { fine: true });
    });
    expect(await cluster.read("/broken")).toEqual({ fine: true });
    expect(asked).toHaveLength(2);
  });

  it("does not ask again for what may have been done", async () => {
    const { cluster, asked } = await apiServer((_, response) => {
      response.writeHead(201, { "content-type": "application/json" }).end('{"kind":"Po');
    });
    await expect(cluster.create("/broken", {})).rejects.toMatchObject({ reason: "Unreachable" });
    expect(asked).toHaveLength(1);
  });
});

describe("lists", () => {
  const page = (items: number[], next?: string): object => ({
    metadata: { resourceVersion: "7", ...(next && { continue: next }) },
    items,
  });

  it("are whole, in pages, and what the cluster agrees on", async () => {
    const { cluster, asked } = await apiServer(({ query }, response) => {
      const next = query.get("continue");
      json(response, 200, next === null ? page([1], "a") : next === "a" ? page([2], "b") : page([3]));
    });
    expect(await cluster.list("/pods", { x: "1", y: "2" })).toEqual([1, 2, 3]);
    for (const { query } of asked) {
      expect(query.get("resourceVersion")).toBeNull();
      expect(query.get("labelSelector")).toBe("x=1,y=2");
    }
  });

  it("begin again when their pages are no longer kept", async () => {
    let expired = 0;
    const { cluster } = await apiServer(({ query }, response) => {
      if (query.get("continue") === null) json(response, 200, page([1], "a"));
      else if (expired++ === 0) refuse(response, 410, "Expired");
      else json(response, 200, page([2]));
    });
    expect(await cluster.list("/pods", {})).toEqual([1, 2]);
  });

  it("fail as a whole when a page fails", async () => {
    const { cluster } = await apiServer(({ query }, response) => {
      if (query.get("continue") === null) json(response, 200, page([1], "a"));
      else refuse(response, 403, "Forbidden");
    });
    await expect(cluster.list("/pods", {})).rejects.toThrow();
  });

  it("do not begin again for ever", async () => {
    const { cluster, asked } = await apiServer((_, response) => refuse(response, 410, "Expired"));
    await expect(cluster.list("/pods", {})).rejects.toMatchObject({ reason: "Unreachable" });
    expect(asked.length).toBeLessThan(10);
  });
});

describe("changing", () => {
  it("is asked for once where it may have been done, and again where it was not", async () => {
    const { cluster, asked } = await apiServer(({ path }, response, count) => {
      if (path === "/unclear") return refuse(response, 500, "InternalError");
      if (count === 2) return json(response, 429, { kind: "Status" }, { "retry-after": "0" });
      json(response, 201, { made: true });
    });
    await expect(cluster.create("/unclear", {})).rejects.toMatchObject({ reason: "Unreachable" });
    expect(asked).toHaveLength(1);
    expect(await cluster.create("/busy", {})).toEqual({ made: true });
    expect(asked).toHaveLength(3);
  });

  it("is asked for again where the version that was read keeps it from being done twice", async () => {
    const { cluster, asked } = await apiServer((_, response, count) => {
      if (count === 1) response.destroy();
      else if (count === 2) refuse(response, 503, "ServiceUnavailable");
      else json(response, 200, { made: true });
    });
    expect(await cluster.patch("/x", { metadata: { resourceVersion: "1" } })).toEqual({ made: true });
    expect(asked).toHaveLength(3);
  });

  it("removes exactly the one that is meant, and never by force", async () => {
    const { cluster, asked } = await apiServer((_, response, count) => {
      if (count === 2) refuse(response, 409, "Conflict", { name: "x" });
      else if (count === 3) refuse(response, 404, "NotFound", { name: "x" });
      else json(response, 200, {});
    });
    for (const grace of [0, 0.4, 30]) await cluster.remove("/x", "uid-1", grace);
    const bodies = asked.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    for (const body of bodies) expect(body["preconditions"]).toEqual({ uid: "uid-1" });
    expect(bodies.map((body) => body["gracePeriodSeconds"])).toEqual([1, 1, 30]);
  });

  it("forgets a pod by a person's word only as it was seen", async () => {
    const { cluster, asked } = await apiServer((_, response) => json(response, 200, {}));
    await cluster.forget("/x", { uid: "uid-1", resourceVersion: "7" });
    const { preconditions, gracePeriodSeconds } = JSON.parse(asked[0]?.body ?? "") as Record<string, unknown>;
    expect([preconditions, gracePeriodSeconds]).toEqual([{ uid: "uid-1", resourceVersion: "7" }, 0]);
  });
});

describe("the watch", () => {
  const pod = (version: string, workspace: string, more: object = {}): object => ({
    ...more,
    metadata: {
      name: `ws-${workspace}`,
      resourceVersion: version,
      labels: { "codehub/workspace": workspace, "codehub/role": "workspace" },
    },
  });
  const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

  /** What it is told from the second stream on, and from where that began. */
  async function watched(
    first: (response: ServerResponse) => void,
    listed: ReadonlyMap<string, string> = new Map(),
  ): Promise<{ hints: string[]; from: (string | null)[] }> {
    const { cluster, asked } = await apiServer(({ query }, response) => {
      if (query.get("watch") === null) {
        const resourceVersion = String(100 * asked.filter((one) => one.query.get("watch") === null).length);
        return json(response, 200, { metadata: { resourceVersion }, items: [] });
      }
      response.writeHead(200, { "content-type": "application/json" });
      const streams = asked.filter((one) => one.query.get("watch") !== null).length;
      if (streams === 1) first(response);
      else response.write(line("ADDED", pod("999", "last")));
    });
    const watch = new PodWatch(cluster, "/pods", "d", 500);
    watch.listed(listed);
    const hints: string[] = [];
    const over = new AbortController();
    await watch.hints((id) => {
      hints.push(id);
      if (id === "last") over.abort();
    }, over.signal);
    const from = asked
      .filter(({ query }) => query.get("watch") !== null)
      .map(({ query }) => query.get("resourceVersion"));
    return { hints, from };
  }

  it("goes on from the last it heard when the stream is cut", async () => {
    const { hints, from } = await watched((response) => {
      response.write(line("MODIFIED", pod("110", "a")) + line("BOOKMARK", { metadata: { resourceVersion: "120" } }));
      setTimeout(() => response.destroy(), 20);
    });
    expect(hints).toEqual(["a", "last"]);
    expect(from).toEqual(["100", "120"]);
  });

  it("begins with now when its version is too old, told in the stream", async () => {
    const { from } = await watched((response) => response.end(line("ERROR", { kind: "Status", code: 410 })));
    expect(from).toEqual(["100", "200"]);
  });

  it("does not believe a stream that has gone silent", async () => {
    const { hints, from } = await watched((response) => response.write(line("MODIFIED", pod("110", "a"))));
    expect(hints).toEqual(["a", "last"]);
    expect(from).toEqual(["100", "110"]);
  });

  it("tells of a pod only when it looks different than it did, and always that it went", async () => {
    const running = { containerStatuses: [{ name: "ide", state: { running: {} } }] };
    const quiet = { status: { ...running, conditions: [{ type: "Ready", status: "True" }] } };
    const flapped = { status: { ...running, conditions: [{ type: "Ready", status: "False" }] } };
    const moved = { status: { ...running, podIP: "10.0.0.2" } };
    const { hints } = await watched((response) => {
      const lines = [quiet, flapped, quiet, moved].map((more, at) => line("MODIFIED", pod(`11${at}`, "a", more)));
      response.end(lines.join("") + line("DELETED", pod("119", "a", moved)));
    });
    expect(hints).toEqual(["a", "a", "a", "last"]);
  });

  it("tells nothing of a pod that looks as it was listed", async () => {
    const { hints } = await watched(
      (response) => response.end(["a", "b"].map((id) => line("MODIFIED", pod("110", id))).join("")),
      new Map([["ws-a", lookOf(pod("1", "a") as Pod)]]),
    );
    expect(hints).toEqual(["b", "last"]);
  });
});
