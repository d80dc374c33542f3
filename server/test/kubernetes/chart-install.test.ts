import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Client, Workspace } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { WebSocket } from "ws";
import { Visitor } from "../../bench/shared/visit.ts";
import { apiAs, sessionCookies } from "../e2e/accounts.ts";
import { type ChartRelease, chartRelease } from "./chart-release.ts";
import { findHelm } from "./helm.ts";

const cluster = inject("cluster");
const s3 = inject("s3");
const helm = findHelm(cluster);

describe.skipIf(cluster === null || cluster.dir === null || s3 === null || helm === null)(
  "the chart, installed",
  () => {
    let release: ChartRelease;
    let api: Client;
    beforeAll(async () => {
      if (cluster?.dir == null || s3 === null || helm === null) return;
      release = await chartRelease(cluster.dir, helm, s3);
    });
    afterAll(async () => {
      await release?.close();
    });

    const reaches = (id: string, phase: Workspace["phase"]): Promise<void> =>
      vi.waitFor(
        async () => {
          const workspace = await api.getWorkspace({ params: { id } });
          expect([workspace.phase, workspace.operation, workspace.error]).toEqual([phase, "NONE", null]);
        },
        { timeout: 100_000, interval: 200 },
      );
    const becomes = async (id: string, phase: "ARCHIVED" | "RUNNING"): Promise<void> => {
      await api.updateWorkspace({ params: { id }, body: { desired_state: phase } });
      await reaches(id, phase);
    };
    const inHome = (id: string, command: string): Promise<string> =>
      release.kubectl("-n", release.homes, "exec", `ws-${id}`, "-c", "ide", "--", "sh", "-c", `cd && ${command}`);
    const claims = (): Promise<string> => release.kubectl("-n", release.homes, "get", "pvc", "-o", "name");
    const pods = (what = "name"): Promise<string> =>
      release.kubectl("-n", release.homes, "get", "pods", "-l", "codehub/role=workspace", "-o", what);

    it("serves people, and keeps their homes through archive, upgrade, uninstall and a new installation", async () => {
      await release.install("one");
      const dashboard = await fetch(release.url);
      expect([dashboard.status, await dashboard.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
      api = await apiAs(release.url);
      const { id } = await api.createWorkspace({ body: { name: "first", address: "id" } });
      await reaches(id, "RUNNING");
      (await opensIde(release.url, id)).terminate();
      await inHome(id, "echo precious > kept");

      await becomes(id, "ARCHIVED");
      await becomes(id, "RUNNING");
      expect(await inHome(id, "cat kept")).toBe("precious");

      const uid = await pods("jsonpath={.items[*].metadata.uid}");
      await release.install("two");
      expect(await pods("jsonpath={.items[*].metadata.uid}")).toBe(uid);
      await reaches(id, "RUNNING");
      (await opensIde(release.url, id)).terminate();

      const home = await claims();
      await release.uninstall();
      await vi.waitFor(async () => expect(await pods()).toBe(""), { timeout: 60_000, interval: 500 });
      expect([home, await claims()]).toEqual([expect.stringContaining(`ws-${id}-home-`), home]);

      await release.install("one", "one");
      // What is on record is from before: that its pod is gone has to be seen first.
      await vi.waitFor(
        async () => {
          await api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
          expect([await inHome(id, "cat kept"), await claims()]).toEqual(["precious", home]);
        },
        { timeout: 100_000, interval: 1_000 },
      );
      await reaches(id, "RUNNING");
      // Apart: what is upgraded is not what carries connections.
      const connected = await opensIde(release.url, id);
      await release.install("two", "one");
      await reaches(id, "RUNNING");
      expect(connected.readyState).toBe(WebSocket.OPEN);
      connected.terminate();
      (await opensIde(release.url, id)).terminate();
    }, 400_000);
  },
);

/** As a browser would: from the dashboard's door to the IDE's page, and a WebSocket on which both sides speak. */
async function opensIde(url: string, id: string): Promise<WebSocket> {
  const visitor = new Visitor(url, await sessionCookies(url));
  const page = await visitor.open(`${url}/w/${id}/`);
  expect([page.status, page.body]).toEqual([200, expect.stringContaining("code-server")]);
  const { port } = new URL(url);
  const host = `${id}.localhost:${port}`;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/?reconnectionToken=${randomUUID()}&reconnection=false`, {
    headers: { host, origin: `http://${host}`, cookie: visitor.cookies(host) },
  });
  await once(socket, "open");
  const answered = once(socket, "message");
  socket.send(controlMessage({ type: "auth", auth: "00000000000000000000", data: "anything" }));
  expect(String((await answered)[0])).toContain('"type":"sign"');
  return socket;
}

/** The first word of VS Code's protocol: a head of 13 bytes (kind, id, acknowledgement, length), then JSON. */
function controlMessage(words: object): Buffer {
  const CONTROL = 2;
  const body = Buffer.from(JSON.stringify(words));
  const head = Buffer.alloc(13);
  head.writeUInt8(CONTROL, 0);
  head.writeUInt32BE(body.length, 9);
  return Buffer.concat([head, body]);
}
