import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspace } from "#core/workspace.ts";
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

const hostOf = (id: string, port: number | null = null) => front.origins.workspace(id, port).host;
const locationOf = (answer: Answer) => new URL(String(answer.headers.location));

/** Follows the way of a browser: workspace, door, workspace. Returns every step. */
async function walk(path = "/", port: number | null = null) {
  const host = hostOf(row.id, port);
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
      /^__Host-codehub_state=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    // The door gets a hash: the state itself is in no address.
    expect(cookiesOf(begun)).not.toContain(door.searchParams.get("state"));
    expect(issued.headers["set-cookie"]).toBeUndefined();
    expect(auth.host).toBe(hostOf(row.id));
    expect(redeemed.status).toBe(303);
    expect(redeemed.headers.location).toBe(`http://${hostOf(row.id)}/folder?a=1`);
    expect(redeemed.headers["cache-control"]).toBe("no-store");
    expect(redeemed.headers["referrer-policy"]).toBe("no-referrer");
    expect(redeemed.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-codehub_ws=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    const inside = await front.ask({
      host: hostOf(row.id),
      path: "/folder",
      headers: { ...PAGE, cookie: cookiesOf(redeemed) },
    });
    expect(inside.status).toBe(200);
    expect(JSON.parse(inside.body).url).toBe("/folder");
  });

  test("a door without state bounces to the workspace, which begins", async () => {
    const answer = await front.ask({ path: `/w/${row.id}/`, headers: { ...PAGE, cookie: dashboardCookie } });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe(`http://${hostOf(row.id)}/`);
  });

  test("a code works once", async () => {
    const { auth, state } = await walk();
    const again = await front.ask({
      host: hostOf(row.id),
      path: auth.pathname + auth.search,
      headers: { ...PAGE, cookie: state },
    });
    expect(again.status).toBe(400);
    expect(again.headers["set-cookie"]).toBeUndefined();
  });

  test("a code is worthless in another browser, and used up by the try", async () => {
    const host = hostOf(row.id);
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
      // Without a state nothing is asked, so only a wrong state uses the code up.
    }
  });

  test("a code of one workspace, or of one port, opens no other", async () => {
    const otherRow = front.world.running({ ...front.world.addUser(), id: row.ownerId }, echo.address);
    const begun = await front.ask({ host: hostOf(row.id), headers: PAGE });
    const door = locationOf(begun);
    for (const host of [hostOf(otherRow.id), hostOf(row.id, 3000)]) {
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
    for (const host of [hostOf(otherRow.id), hostOf(row.id, 3000)]) {
      expect((await front.ask({ host, headers: { cookie } })).status).toBe(401);
    }
    const port = await walk("/", 3000);
    const portCookie = cookiesOf(port.redeemed);
    expect((await front.ask({ host: hostOf(row.id, 3000), headers: { cookie: portCookie } })).status).toBe(200);
    expect((await front.ask({ host: hostOf(row.id), headers: { cookie: portCookie } })).status).toBe(401);
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
    const begun = await front.ask({ host: hostOf(row.id), headers: PAGE });
    const door = locationOf(begun);
    const issued = await front.ask({
      path: door.pathname + door.search,
      headers: { ...PAGE, cookie: dashboardCookie },
    });
    const auth = locationOf(issued);
    const path = auth.pathname + auth.search;
    for (const headers of [{ "service-worker": "script" }, { "sec-fetch-mode": "cors" }]) {
      const answer = await front.ask({ host: hostOf(row.id), path, headers: { ...headers, cookie: cookiesOf(begun) } });
      expect(answer.status).toBe(403);
    }
  });

  test("two tabs that begin at once both arrive", async () => {
    const host = hostOf(row.id);
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
        headers: { ...PAGE, cookie: cookiesOf(second) },
      });
      expect(answer.status).toBe(303);
    }
  });

  test("a browser that keeps no Secure cookies over http gets a plain one", async () => {
    const begun = await front.ask({ host: hostOf(row.id), headers: PAGE });
    const plain =
      cookiesOf(begun)
        .split("; ")
        .find((cookie) => cookie.startsWith("codehub_state=")) ?? "";
    const door = locationOf(begun);
    const issued = await front.ask({
      path: door.pathname + door.search,
      headers: { ...PAGE, cookie: dashboardCookie },
    });
    const auth = locationOf(issued);
    const answer = await front.ask({
      host: hostOf(row.id),
      path: auth.pathname + auth.search,
      headers: { ...PAGE, cookie: plain },
    });
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^codehub_ws=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test("without a dashboard session the door leads to signing in and back, without the state", async () => {
    const begun = await front.ask({ host: hostOf(row.id), path: "/x", headers: PAGE });
    const door = locationOf(begun);
    const answer = await front.ask({ path: door.pathname + door.search, headers: PAGE });
    expect(answer.status).toBe(303);
    const login = new URL(String(answer.headers.location), "http://localhost:8000");
    expect(login.pathname).toBe("/login");
    expect(login.searchParams.get("next")).toBe(`/w/${row.id}/?next=%2Fx`);
  });

  test("a logout ends the workspace's session too", async () => {
    const { redeemed } = await walk();
    const cookie = cookiesOf(redeemed);
    expect((await front.ask({ host: hostOf(row.id), headers: { cookie } })).status).toBe(200);
    front.world.logout(sessionId);
    front.proxy.sessionsChanged();
    expect((await front.ask({ host: hostOf(row.id), headers: { cookie } })).status).toBe(401);
  });
});
