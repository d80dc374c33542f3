import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { drawAddress } from "#core/rows/address.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { type Answer, cookiesOf } from "./harness.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

const PAGE = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-site": "none" };
const FETCH = { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" };
const FORMER = drawAddress("former", "8e1f5a90-7c1b-4d2e-9f3a-0123456789ab");

let visitor: Visitor;
beforeEach(async () => {
  visitor = await startVisitor();
  visitor.front.world.addresses.set(FORMER, visitor.row.id);
});
afterEach(() => visitor.stop());

const hostOf = (name: string, port: number | null = null): string =>
  `${port === null ? "" : `${port}--`}${name}.localhost:8000`;
const locationOf = (answer: Answer) => new URL(String(answer.headers.location), "http://localhost:8000");
const atDoor = (location: URL, cookie = visitor.dashboard) =>
  visitor.front.ask({ path: location.pathname + location.search, headers: { ...PAGE, cookie } });

/** As a browser follows: until something other than a redirect comes. Cookies are each host's own. */
async function browse(host: string, path: string, jar = new Map([["localhost:8000", visitor.dashboard]])) {
  const hosts: string[] = [];
  for (let at = new URL(path, `http://${host}`), steps = 0; steps < 12; steps += 1) {
    hosts.push(at.host);
    const headers = { ...PAGE, cookie: jar.get(at.host) ?? "" };
    const answer = await visitor.front.ask({ host: at.host, path: at.pathname + at.search, headers });
    const set = cookiesOf(answer);
    if (set !== "") jar.set(at.host, set);
    if (answer.status !== 303) return { answer, hosts, at, jar };
    at = new URL(String(answer.headers.location), at);
  }
  throw new Error(`in circles: ${hosts.join(" ")}`);
}

/** Everything that is or was an address of a workspace, with a session that is alive for it. */
function elsewhere(): readonly [string, number | null, string][] {
  const { front, row, sessionId } = visitor;
  return [row.id, FORMER].flatMap((name) =>
    [null, 3000].map((port): [string, number | null, string] => [
      name,
      port,
      `__Host-codehub_ws=${front.world.admit(row, sessionId, port)}`,
    ]),
  );
}

describe("a workspace with an address in words", () => {
  test("is at that address, and no byte of it at any other, even to a session that is alive", async () => {
    expect((await visitor.ask({})).status).toBe(200);
    const before = visitor.echo.seen.length;
    for (const [name, port, cookie] of elsewhere()) {
      const host = hostOf(name, port);
      for (const path of ["/", "/static/x.js", "/.codehub/state"]) {
        const answer = await visitor.front.ask({ host, path, headers: { ...FETCH, cookie } });
        if (path === "/.codehub/state")
          expect(JSON.parse(answer.body)).toMatchObject({ state: "signed-out", pill: null });
        else expect(answer.status).toBe(401);
        expect(answer.headers["set-cookie"]).toBeUndefined();
      }
      const post = { host, method: "POST", path: "/.codehub/awake", headers: { cookie, origin: `http://${host}` } };
      expect((await visitor.front.ask(post)).status).toBe(port === null ? 401 : 404);
      expect(await visitor.front.raw(handshake(host, { Cookie: cookie, Origin: `http://${host}` }))).toMatch(
        /^HTTP\/1\.1 401 /,
      );
      const page = await visitor.front.ask({ host, path: "/x?y=1", headers: { ...PAGE, cookie } });
      expect([page.status, locationOf(page).host]).toEqual([303, "localhost:8000"]);
    }
    expect(visitor.echo.seen.length).toBe(before);
  });

  test("is reached through each of its former addresses, and through its id", async () => {
    for (const name of [visitor.row.id, FORMER, visitor.name]) {
      const { answer, hosts, at } = await browse(hostOf(name), "/folder?a=1");
      expect([answer.status, at.href]).toEqual([200, `${visitor.origin}/folder?a=1`]);
      const door = "localhost:8000";
      const begun = [visitor.host, door, visitor.host, visitor.host];
      expect(hosts).toEqual(name === visitor.name ? begun : [hostOf(name), door, ...begun]);
    }
    for (const path of [`/w/${visitor.row.id}/`, `/w/${FORMER}/`, `/w/${visitor.name}`])
      expect((await browse("localhost:8000", path)).at.origin).toBe(visitor.origin);
  });

  test("gives no code for another address of its own, whatever state came from there", async () => {
    for (const name of [visitor.row.id, FORMER]) {
      const begun = await visitor.front.ask({ host: hostOf(name), headers: PAGE });
      const issued = await atDoor(locationOf(begun));
      expect(issued.headers.location).toBe(`${visitor.origin}/`);
    }
  });

  test("ends whoever came in at the address that it leaves", async () => {
    const { front, row, host, origin, cookie } = visitor;
    const socket = await front.socket();
    socket.write(handshake(host, { Cookie: cookie, Origin: origin }));
    await once(socket, "data");
    const closed = once(socket, "close");
    const next = drawAddress("next", "8e1f5a90-7c1b-4d2e-9f3a-ba9876543210");
    front.world.write(row.id, { address: next });
    front.proxy.workspaceChanged(row.id);
    // What happens by itself every few seconds.
    front.proxy.sessionsChanged();
    await closed;
    expect((await front.ask({ host, headers: { ...FETCH, cookie } })).status).toBe(401);
    expect((await front.ask({ host: hostOf(next), headers: { ...FETCH, cookie } })).status).toBe(401);
    expect((await browse(host, "/x")).at.href).toBe(`http://${hostOf(next)}/x`);
  });

  test("sends nobody in circles where news of its new address was lost", async () => {
    const { front, row } = visitor;
    expect((await visitor.ask({})).status).toBe(200);
    const next = drawAddress("next", "8e1f5a90-7c1b-4d2e-9f3a-ba9876543210");
    front.world.write(row.id, { address: next });
    // The door knows better than what is remembered of the row.
    const { answer, at } = await browse("localhost:8000", `/w/${row.id}/?next=%2Fx`);
    expect([answer.status, at.href]).toEqual([200, `http://${hostOf(next)}/x`]);
  });
});

describe("an address of nobody or of somebody else", () => {
  const UNKNOWN = "payments-api-7f3k9p";

  test("is told from one's own only after signing in, and asks the database nothing before", async () => {
    const { world } = visitor.front;
    const other: Workspace = world.addWorkspace(world.addUser(), { name: "Secret project" });
    const asked = vi.spyOn(world, "idOfAddress");
    for (const name of [UNKNOWN, String(other.address)]) {
      expect((await visitor.front.ask({ host: hostOf(name), headers: FETCH })).status).toBe(401);
      const begun = await visitor.front.ask({ host: hostOf(name), headers: PAGE });
      expect((await atDoor(locationOf(begun), "")).headers.location).toMatch(/^\/login\?/);
      expect(asked).not.toHaveBeenCalled();
      const answer = await atDoor(locationOf(begun));
      expect(answer.status).toBe(404);
      expect(answer.body).not.toContain("Secret");
      asked.mockClear();
    }
  });

  test.each(["www", "probe1", "payments", "payments-api-7f3k9", "payments--api-7f3k9p", "3000-api-7f3k9p"])(
    "that cannot be one is no host of ours: %s",
    async (label) => {
      expect((await visitor.front.ask({ host: hostOf(label), headers: PAGE })).status).toBe(421);
      expect((await visitor.front.ask({ path: `/w/${label}/`, headers: { cookie: visitor.dashboard } })).status).toBe(
        404,
      );
    },
  );
});

test("in single-origin mode a workspace is below its id only", async () => {
  const single = await startVisitor({ singleOrigin: true });
  try {
    const ask = (path: string, host?: string) =>
      single.front.ask({ path, headers: { cookie: single.dashboard }, ...(host === undefined ? {} : { host }) });
    expect((await ask(`/w/${single.row.id}/`)).status).toBe(200);
    expect((await ask(`/w/${single.name}/`)).status).toBe(404);
    expect((await ask("/", hostOf(single.name))).status).toBe(421);
    expect(single.echo.seen.length).toBe(1);
  } finally {
    await single.stop();
  }
});
