import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Echo, startEcho } from "./upstream-server.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

const MAX = 2;
const PORT = 3000;
const PATIENT = { timeout: 20_000 };

let visitor: Visitor;
let other: Echo;
/** Requests that have arrived at either program and wait for their answer. */
let held: ServerResponse[];

beforeEach(async () => {
  visitor = await startVisitor({ maxWorkspaceConnections: MAX });
  other = await startEcho();
  visitor.front.world.ports.set(PORT, other.address);
  held = [];
  for (const program of [visitor.echo, other]) program.handler = (_req, res) => void held.push(res);
});
afterEach(async () => {
  await visitor.stop();
  await other.stop();
});

/** To the IDE, or to the program on the port. */
function ask(port: number | null): Promise<number> {
  const { front, row, sessionId } = visitor;
  const cookie = `__Host-codehub_ws=${front.world.admit(row, sessionId, port)}`;
  const { host } = front.origins.workspace(row, port);
  return front.ask({ host, headers: { cookie } }).then(({ status }) => status);
}

/** As many at once as there may be connections, all of them under way. */
async function fill(port: number | null): Promise<{ readonly finish: () => Promise<number[]> }> {
  const answers = Array.from({ length: MAX }, () => ask(port));
  await expect.poll(() => held.length, PATIENT).toBe(MAX);
  return {
    finish() {
      for (const res of held.splice(0)) res.end("done");
      return Promise.all(answers);
    },
  };
}

test("connections that only rest make room for those that are needed, whatever they lead to", async () => {
  expect(await (await fill(null)).finish()).toEqual([200, 200]);
  const needed = await fill(PORT);
  // One that still rested would be used again.
  expect(await ask(null)).toBe(503);
  expect(await needed.finish()).toEqual([200, 200]);
});

test("while all are in use, one more request or WebSocket is told to come again", async () => {
  const all = await fill(null);
  expect(await ask(PORT)).toBe(503);
  const upgrade = async () => {
    const socket = await visitor.front.socket();
    socket.write(handshake(visitor.host, { Cookie: visitor.cookie, Origin: visitor.origin }));
    const [answer] = await once(socket, "data");
    return { socket, answer: String(answer) };
  };
  const refused = await upgrade();
  expect(refused.answer).toMatch(/^HTTP\/1\.1 503 .*\r\n(?:.*\r\n)*Retry-After: /);
  refused.socket.destroy();
  await all.finish();

  // Each WebSocket counts too, until it closes.
  const sockets = [await upgrade(), await upgrade()];
  for (const { answer } of sockets) expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  expect(await ask(PORT)).toBe(503);
  for (const { socket } of sockets) socket.destroy();
  await expect.poll(() => visitor.front.proxy.openStreams, PATIENT).toBe(0);
  const again = ask(PORT);
  await expect.poll(() => held.length, PATIENT).toBe(1);
  held[0]?.end("done");
  expect(await again).toBe(200);
});

test("a connection that cannot even be tried takes no room", async () => {
  const { front, row, host, cookie, origin } = visitor;
  const { endpoint } = row;
  if (endpoint === null) throw new Error("the workspace does not run");
  const nowhere = { kind: "tcp", host: "127.0.0.1", port: 70_000 } as const;
  front.world.rows.set(row.id, { ...row, endpoint: { ...endpoint, address: nowhere } });
  for (let i = 0; i < MAX; i += 1) {
    expect(await ask(null)).toBe(502);
    await front.raw(handshake(host, { Cookie: cookie, Origin: origin }));
  }
  expect(await (await fill(PORT)).finish()).toEqual([200, 200]);
});
