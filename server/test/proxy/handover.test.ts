import { createHash, randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nameInHosts } from "#core/rows/address.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { type Answer, cookiesOf, type Front, startFront } from "./harness.ts";
import { type Echo, startEcho } from "./upstream-server.ts";

const PAGE = {
  accept: "text/html",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-user": "?1",
  "sec-fetch-site": "none",
};

let front: Front;
let echo: Echo;
let row: Workspace;
let dashboardCookie: string;
let sessionId: string;

beforeEach(async () => {
  front = await startFront();
  echo = await startEcho();
  const user = front.world.addUser();
  const { token, record } = front.world.login(user);
  sessionId = record.sessionId;
  dashboardCookie = `__Host-Http-codehub=${token}`;
  row = front.world.running(user, echo.address);
});
afterEach(async () => {
  await front.stop();
  await echo.stop();
});

const hostOf = (row: Workspace, port: number | null = null) => front.origins.workspace(row, port).host;
const locationOf = (answer: Answer) => new URL(String(answer.headers.location));

/** Follows the way of a browser: workspace, door, workspace. Returns every step. */
async function walk(path = "/", port: number | null = null) {
  const host = hostOf(row, port);
  const begun = await front.ask({ host, path, headers: PAGE });
  const door = locationOf(begun);
  const issued = await front.ask({ path: door.pathname + door.search, headers: { ...PAGE, cookie: dashboardCookie } });
  const auth = locationOf(issued);
  const state = cookiesOf(begun);
  const redeemed = await front.ask({ host, path: auth.pathname + auth.search, headers: { ...PAGE, cookie: state } });
  return { begun, door, issued, auth, state, redeemed };
}

describe("hand-over", () => {
  test("brings a browser with a dashboard session to the page it wanted, with a cookie of the workspace only", async () => {
    const { begun, door, issued, auth, redeemed } = await walk("/folder?a=1");
    expect(begun.status).toBe(303);
    expect(door.origin).toBe("http://localhost:8000");
    expect(begun.headers["set-cookie"]?.[0]).toMatch(
      /^__Host-Http-codehub_state_[\w-]{8}=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    // The door gets a hash: the state itself is in no address.
    expect(cookiesOf(begun)).not.toContain(door.searchParams.get("state"));
    expect(auth.searchParams.get("state")).toBe(door.searchParams.get("state"));
    expect(issued.headers["set-cookie"]).toBeUndefined();
    expect(auth.host).toBe(hostOf(row));
    expect(redeemed.status).toBe(303);
    expect(redeemed.headers.location).toBe(`http://${hostOf(row)}/folder?a=1`);
    expect(redeemed.headers["cache-control"]).toBe("no-store");
    expect(redeemed.headers["referrer-policy"]).toBe("no-referrer");
    // The state has served and goes; the session comes.
    expect(redeemed.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-codehub_ws=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(
        /^__Host-Http-codehub_state_[\w-]{8}=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
      expect.stringMatching(/^codehub_state_[\w-]{8}=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const inside = await front.ask({
      host: hostOf(row),
      path: "/folder",
      headers: { ...PAGE, cookie: cookiesOf(redeemed) },
    });
    expect(inside.status).toBe(200);
    expect(JSON.parse(inside.body).url).toBe("/folder");
  });

  test("a door without state bounces to the workspace, which begins", async () => {
    const answer = await front.ask({ path: `/w/${row.id}/`, headers: { ...PAGE, cookie: dashboardCookie } });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe(`http://${hostOf(row)}/`);
  });

  test("a code works once", async () => {
    const { auth, state } = await walk();
    const again = await front.ask({
      host: hostOf(row),
      path: auth.pathname + auth.search,
      headers: { ...PAGE, cookie: state },
    });
    expect(again.status).toBe(400);
    expect(again.headers["set-cookie"]).toBeUndefined();
  });

  test("a code is worthless in another browser, and used up by the try", async () => {
    const host = hostOf(row);
    const begun = await front.ask({ host, headers: PAGE });
    const other = await front.ask({ host, headers: PAGE });
    const door = locationOf(begun);
    const issued = await front.ask({
      path: door.pathname + door.search,
      headers: { ...PAGE, cookie: dashboardCookie },
    });
    const auth = locationOf(issued);
    for (const cookie of [cookiesOf(other), "", cookiesOf(begun)]) {
      const answer = await front.ask({ host, path: auth.pathname + auth.search, headers: { ...PAGE, cookie } });
      expect(answer.status).toBe(400);
    }
  });

  test("a code of one workspace, or of one port, opens no other", async () => {
    const otherRow = front.world.running({ ...front.world.addUser(), id: row.ownerId }, echo.address);
    const begun = await front.ask({ host: hostOf(row), headers: PAGE });
    const door = locationOf(begun);
    for (const host of [hostOf(otherRow), hostOf(row, 3000)]) {
      const issued = await front.ask({
        path: door.pathname + door.search,
        headers: { ...PAGE, cookie: dashboardCookie },
      });
      const auth = locationOf(issued);
      const answer = await front.ask({
        host,
        path: auth.pathname + auth.search,
        headers: { ...PAGE, cookie: cookiesOf(begun) },
      });
      expect(answer.status).toBe(400);
    }
  });

  test("a session of one workspace opens no other and no port, and the other way round", async () => {
    front.world.ports.set(3000, echo.address);
    const { redeemed } = await walk();
    const cookie = cookiesOf(redeemed);
    const otherRow = front.world.running({ ...front.world.addUser(), id: row.ownerId }, echo.address);
    for (const host of [hostOf(otherRow), hostOf(row, 3000)]) {
      expect((await front.ask({ host, headers: { cookie } })).status).toBe(401);
    }
    const port = await walk("/", 3000);
    const portCookie = cookiesOf(port.redeemed);
    expect((await front.ask({ host: hostOf(row, 3000), headers: { cookie: portCookie } })).status).toBe(200);
    expect((await front.ask({ host: hostOf(row), headers: { cookie: portCookie } })).status).toBe(401);
  });

  test("somebody else's workspace is not there, for users and administrators alike", async () => {
    const stranger = front.world.login({ ...front.world.addUser(), role: "admin" });
    const cookie = `__Host-Http-codehub=${stranger.token}`;
    const hidden = await front.ask({ path: `/w/${row.id}/`, headers: { ...PAGE, cookie } });
    const absent = await front.ask({ path: "/w/99999999-9999-4999-8999-999999999999/", headers: { ...PAGE, cookie } });
    expect(hidden.status).toBe(404);
    expect(hidden.body).toBe(absent.body);
  });

  test("a service worker's script and a fetch cannot redeem", async () => {
    const begun = await front.ask({ host: hostOf(row), headers: PAGE });
    const door = locationOf(begun);
    const issued = await front.ask({
      path: door.pathname + door.search,
      headers: { ...PAGE, cookie: dashboardCookie },
    });
    const auth = locationOf(issued);
    const path = auth.pathname + auth.search;
    for (const headers of [{ "service-worker": "script" }, { "sec-fetch-mode": "cors" }]) {
      const answer = await front.ask({ host: hostOf(row), path, headers: { ...headers, cookie: cookiesOf(begun) } });
      expect(answer.status).toBe(403);
    }
  });

  test("two tabs that begin at once both arrive", async () => {
    const host = hostOf(row);
    const first = await front.ask({ host, headers: PAGE });
    const second = await front.ask({ host, headers: { ...PAGE, cookie: cookiesOf(first) } });
    for (const begun of [first, second]) {
      const door = locationOf(begun);
      const issued = await front.ask({
        path: door.pathname + door.search,
        headers: { ...PAGE, cookie: dashboardCookie },
      });
      const auth = locationOf(issued);
      const answer = await front.ask({
        host,
        path: auth.pathname + auth.search,
        headers: { ...PAGE, cookie: `${cookiesOf(first)}; ${cookiesOf(second)}` },
      });
      expect(answer.status).toBe(303);
    }
  });

  test("a state that a script planted is never taken over, under whatever name", async () => {
    const host = hostOf(row);
    const known = randomBytes(32).toString("base64url");
    const first = await front.ask({ host, headers: PAGE });
    const names = [
      "codehub_state",
      ...cookiesOf(first)
        .split("; ")
        .map((cookie) => cookie.replace(/=.*/, "")),
    ];
    for (const name of names.flatMap((name) => [name, `__Host-${name}`, `__Host-Http-${name}`])) {
      const begun = await front.ask({ host, headers: { ...PAGE, cookie: `${name}=${known}` } });
      const hash = createHash("sha256").update(known).digest("base64url");
      expect(locationOf(begun).searchParams.get("state")).not.toBe(hash);
      expect(cookiesOf(begun)).not.toContain(known);
    }
  });

  test("a code that is shown without its state is used up, and so is one whose state is there twice", async () => {
    const host = hostOf(row);
    for (const spoil of [() => "", (cookie: string) => `${cookie}; ${cookie}`]) {
      const begun = await front.ask({ host, headers: PAGE });
      const door = locationOf(begun);
      const headers = { ...PAGE, cookie: dashboardCookie };
      const issued = await front.ask({ path: door.pathname + door.search, headers });
      const { pathname, search } = locationOf(issued);
      for (const cookie of [spoil(cookiesOf(begun)), cookiesOf(begun)]) {
        const answer = await front.ask({ host, path: pathname + search, headers: { ...PAGE, cookie } });
        expect(answer.status).toBe(400);
        expect(answer.headers["set-cookie"]).toBeUndefined();
      }
    }
  });

  test("the hash of no state, given to the door by somebody, opens nothing without a state", async () => {
    for (const state of ["A".repeat(43), createHash("sha256").update("").digest("base64url")]) {
      const headers = { ...PAGE, cookie: dashboardCookie };
      const issued = await front.ask({ path: `/w/${nameInHosts(row)}/?state=${state}`, headers });
      const { pathname, search } = locationOf(issued);
      const answer = await front.ask({ host: hostOf(row), path: pathname + search, headers: PAGE });
      expect(answer.status).toBe(400);
    }
  });

  test("tabs that begin and never arrive leave no more than a few cookies behind", async () => {
    const jar = new Map<string, string>();
    for (let i = 0; i < 40; i += 1) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const begun = await front.ask({ host: hostOf(row), headers: { ...PAGE, cookie } });
      for (const set of begun.headers["set-cookie"] ?? []) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (set.includes("Max-Age=0;")) jar.delete(name);
        else jar.set(name, value);
      }
    }
    expect(jar.size).toBeGreaterThan(2);
    expect(jar.size).toBeLessThan(25);
  });

  test("no worker of the IDE's host can stand in the way of a hand-over; ports keep theirs", async () => {
    echo.handler = (_req, res) => res.setHeader("Service-Worker-Allowed", "/").end("worker");
    front.world.ports.set(3000, echo.address);
    const ide = cookiesOf((await walk()).redeemed);
    const port = cookiesOf((await walk("/", 3000)).redeemed);
    const script = (host: string, path: string, cookie: string) =>
      front.ask({ host, path, headers: { "service-worker": "script", "sec-fetch-dest": "serviceworker", cookie } });
    for (const path of ["/sw.js", "/?sw.js", "/.codehub", "/a%2fsw.js"])
      expect((await script(hostOf(row), path, ide)).status).toBe(403);
    const below = await script(hostOf(row), "/static/sw.js", ide);
    expect(below.status).toBe(200);
    expect(below.headers).not.toHaveProperty("service-worker-allowed");
    const own = await script(hostOf(row, 3000), "/sw.js", port);
    expect(own.status).toBe(200);
    expect(own.headers["service-worker-allowed"]).toBe("/");
  });

  test("a browser that keeps no Secure cookies over http gets a plain one", async () => {
    const begun = await front.ask({ host: hostOf(row), headers: PAGE });
    const plain =
      cookiesOf(begun)
        .split("; ")
        .find((cookie) => cookie.startsWith("codehub_state_")) ?? "";
    const door = locationOf(begun);
    const issued = await front.ask({
      path: door.pathname + door.search,
      headers: { ...PAGE, cookie: dashboardCookie },
    });
    const auth = locationOf(issued);
    const answer = await front.ask({
      host: hostOf(row),
      path: auth.pathname + auth.search,
      headers: { ...PAGE, cookie: plain },
    });
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      /^codehub_ws=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test("without a dashboard session the door leads to signing in and back, without the state", async () => {
    const begun = await front.ask({ host: hostOf(row), path: "/x", headers: PAGE });
    const door = locationOf(begun);
    const answer = await front.ask({ path: door.pathname + door.search, headers: PAGE });
    expect(answer.status).toBe(303);
    const login = new URL(String(answer.headers.location), "http://localhost:8000");
    expect(login.pathname).toBe("/login");
    expect(login.searchParams.get("next")).toBe(`/w/${nameInHosts(row)}/?next=%2Fx`);
  });

  test("a logout ends the workspace's session too", async () => {
    const { redeemed } = await walk();
    const cookie = cookiesOf(redeemed);
    expect((await front.ask({ host: hostOf(row), headers: { cookie } })).status).toBe(200);
    front.world.logout(sessionId);
    front.proxy.sessionsChanged();
    expect((await front.ask({ host: hostOf(row), headers: { cookie } })).status).toBe(401);
  });
});
