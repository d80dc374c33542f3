import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { hostOf, listeningPort } from "./listening-port.ts";

it("finds a port of the process that listens on it, and not of another one or of another account", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const uid = process.getuid?.() ?? 0;
  const { port } = address;
  const listener = expect.stringMatching(/^\d+$/);
  const mine = { kind: "tcp", host: "127.0.0.1", port, listener };
  expect(await listeningPort([process.ppid, process.pid], uid, port)).toEqual(mine);
  expect(await listeningPort([process.pid], null, port)).toEqual(mine);
  expect(await listeningPort([process.ppid], uid, port)).toBeNull();
  expect(await listeningPort([process.pid], uid + 1, port)).toBeNull();
  server.close();
});

it("reaches a socket on every address where nobody else can answer for it", () => {
  const all6 = { inode: "1", uid: 1, host: "::1", everywhere: true, port: 80 };
  const only6 = { inode: "2", uid: 1, host: "::1", everywhere: false, port: 80 };
  const other4 = { inode: "3", uid: 2, host: "127.0.0.1", everywhere: false, port: 80 };
  expect(hostOf(all6, [all6, other4], true)).toBe("::1");
  expect(hostOf(all6, [all6], false)).toBe("127.0.0.1");
  expect(hostOf(all6, [all6, { ...other4, port: 81 }], false)).toBe("127.0.0.1");
  expect(hostOf(all6, [all6, other4], false)).toBeNull();
  expect(hostOf(only6, [only6], false)).toBe("::1");
});
