import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { listen } from "#proxy/door/front.ts";
import { workspace } from "../fixtures/workspace.ts";
import { type Front, startFront } from "./harness.ts";
import { handshake } from "./visitor.ts";

describe("a fault of ours", () => {
  let front: Front | null = null;
  afterEach(() => front?.stop());

  test("while a request or an upgrade is taken in ends that one only, and is told", async () => {
    const broken = () => {
      throw new Error("nobody thought of this");
    };
    front = await startFront({ dashboard: broken });
    await expect(front.ask({ path: "/" })).rejects.toThrow();
    await expect(front.ask({ path: "/", headers: { expect: "100-continue" } })).rejects.toThrow();
    Object.assign(front.proxy, { upgrade: broken });
    const { host } = front.origins.workspace(workspace(), null);
    const socket = await front.socket();
    socket.write(handshake(host, {}));
    await once(socket, "close");
    expect(front.faults.map(String)).toEqual(Array(3).fill("Error: nobody thought of this"));
    expect((await front.ask({ host: "elsewhere.example" })).status).toBe(421);
  });

  test("a listener that cannot take a connection goes on with the next, however often", async () => {
    const servers: Server[] = [];
    const told: unknown[] = [];
    const make = () => {
      const server = createServer((_req, res) => res.end("here"));
      servers.push(server);
      return server;
    };
    const listening = await listen(make, "127.0.0.1", 0, (error) => told.push(error));
    const problem = new Error("accept ENFILE");
    for (let i = 0; i < 3; i += 1) for (const server of servers) server.emit("error", problem);
    expect(told).toEqual([problem, problem, problem]);
    const answer = await fetch(`http://127.0.0.1:${listening.port}/`, { headers: { connection: "close" } });
    expect(await answer.text()).toBe("here");
    await listening.close();
  });
});
