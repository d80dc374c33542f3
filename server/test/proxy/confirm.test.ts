import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Address } from "#core/rows/workspace.ts";
import type { Ask } from "./harness.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

let visitor: Visitor;
let confirmed: Address[];
let isThere: boolean;

/** The workspace's row says whose hardware address is behind its own. */
beforeEach(async () => {
  visitor = await startVisitor();
  confirmed = [];
  isThere = true;
  const { front, row } = visitor;
  if (row.endpoint === null) throw new Error("it does not run");
  front.world.rows.set(row.id, { ...row, endpoint: { ...row.endpoint, address: addressNow() } });
  front.world.confirms = (address) => {
    confirmed.push(address);
    return isThere;
  };
});
afterEach(() => visitor.stop());

const addressNow = () => ({ ...visitor.echo.address, mac: "02:00:00:00:00:07" });

const asks = {
  "its own address": () => {
    const { front, row, sessionId } = visitor;
    const { host, origin } = front.origins.workspace(row, null);
    return { host, origin, cookie: `__Host-codehub_ws=${front.world.admit(row, sessionId)}` };
  },
  "a port of it": () => {
    const { front, row, sessionId } = visitor;
    front.world.ports.set(3000, addressNow());
    const { host, origin } = front.origins.workspace(row, 3000);
    return { host, origin, cookie: `__Host-codehub_ws=${front.world.admit(row, sessionId, 3000)}` };
  },
};
type Way = keyof typeof asks;
const WAYS = Object.keys(asks) as Way[];

function ask(way: Way, more: Ask) {
  const { host, origin, cookie } = asks[way]();
  return visitor.front.ask({ host, headers: { cookie, origin }, ...more });
}

async function upgrade(way: Way): Promise<string> {
  const { host, origin, cookie } = asks[way]();
  const socket = await visitor.front.socket();
  socket.write(handshake(host, { Origin: origin, Cookie: cookie }));
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}

test.each(WAYS)("connections to %s are carried once it is confirmed who accepted them", async (way) => {
  const body = "x".repeat(300_000);
  const answer = await ask(way, { method: "POST", body });
  expect([answer.status, JSON.parse(answer.body).bytes]).toEqual([200, body.length]);
  expect(await upgrade(way)).toMatch(/^HTTP\/1\.1 101 /);
  expect(confirmed).toEqual([addressNow(), addressNow()]);
});

test.each(WAYS)("whoever else accepts a connection to %s is sent nothing", async (way) => {
  isThere = false;
  expect((await ask(way, { method: "POST", body: "a secret" })).status).toBe(502);
  expect(await upgrade(way)).toMatch(/^HTTP\/1\.1 502 /);
  expect(confirmed.length).toBeGreaterThan(1);
  expect(visitor.echo.seen).toEqual([]);
});
