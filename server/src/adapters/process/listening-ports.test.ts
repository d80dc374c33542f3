import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { listeningPorts } from "./listening-ports.ts";

it("finds a port of the process that listens on it, and not of another one", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const mine = await listeningPorts([process.pid]);
  expect(mine.get(address.port)).toEqual({ kind: "tcp", host: "127.0.0.1", port: address.port });
  expect((await listeningPorts([process.ppid])).has(address.port)).toBe(false);
  server.close();
});
