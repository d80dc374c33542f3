import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#adapters/system/clock.ts";
import type { PortShare } from "#core/requests/sharing.ts";
import { drawAddress } from "#core/rows/address.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { Account } from "#ports/accounts.ts";
import { MOST_GUESTS } from "#proxy/site/guest-count.ts";
import { type Answer, type Ask, cookiesOf, type FrontOptions } from "./harness.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";
import { frame } from "./wire.ts";

const PORT = 3_000;
const OTHER_PORT = 4_000;
const MOVED = drawAddress("moved", "8e1f5a90-7c1b-4d2e-9f3a-0123456789ab");
const PAGE = {
  accept: "text/html",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-user": "?1",
  "sec-fetch-site": "none",
};

let visitor: Visitor;
let now: number;
let host: string;
let origin: string;
/** Of the owner, for the shared port. */
let ownerCookie: string;
/** Somebody else, signed in to the dashboard. */
let guest: { readonly account: Account; readonly dashboard: string; readonly sessionId: string };

async function begin(options: FrontOptions = {}): Promise<void> {
  now = Date.now();
  visitor = await startVisitor({ clock: { ...systemClock, nowMs: () => now }, ...options });
  const { front, row, sessionId, echo } = visitor;
  ({ host, origin } = front.origins.workspace(row, PORT));
  ownerCookie = `__Host-codehub_ws=${front.world.admit(row, sessionId, PORT)}`;
  for (const port of [PORT, OTHER_PORT]) front.world.ports.set(port, echo.address);
  const account = front.world.addUser();
  const { token, record } = front.world.login(account);
  guest = { account, dashboard: `__Host-Http-codehub=${token}`, sessionId: record.sessionId };
}
beforeEach(() => begin());
afterEach(() => visitor.stop());

function share(over: Partial<PortShare> = {}): void {
  const { world } = visitor.front;
  const workspaceId = visitor.row.id;
  world.shares.push({ workspaceId, port: PORT, audience: "public", expiresAt: null, createdAt: now, ...over });
  visitor.front.proxy.workspaceChanged(workspaceId);
}

const ask = (more: Ask = {}) => visitor.front.ask({ host, ...more });
function pathOf(answer: Answer): string {
  const { pathname, search } = new URL(String(answer.headers.location), "http://localhost:8000");
  return pathname + search;
}

/** As a browser goes: the port, the dashboard's door with its session, and back with a code. */
async function enter(dashboard: string): Promise<Answer> {
  const begun = await ask({ headers: PAGE });
  const issued = await visitor.front.ask({ path: pathOf(begun), headers: { ...PAGE, cookie: dashboard } });
  if (issued.status !== 303) return issued;
  return await ask({ path: pathOf(issued), headers: { ...PAGE, cookie: cookiesOf(begun) } });
}

async function guestCookie(): Promise<string> {
  const entered = await enter(guest.dashboard);
  return (
    cookiesOf(entered)
      .split("; ")
      .find((cookie) => cookie.startsWith("__Host-codehub_ws=")) ?? ""
  );
}

async function openSocket(headers: Record<string, string>): Promise<{ socket: Socket; head: string }> {
  const socket = await visitor.front.socket();
  socket.on("error", () => undefined);
  socket.write(handshake(host, headers));
  const [chunk] = await once(socket, "data");
  return { socket, head: String(chunk) };
}

const headersSeen = () => visitor.echo.seen.flatMap(({ headers }) => headers).join("\n");

describe("a port that is shared with everybody", () => {
  test("is served to somebody without any session, and search engines are told to leave it", async () => {
    share();
    const page = await ask({ headers: PAGE });
    expect([page.status, page.headers["x-robots-tag"]]).toEqual([200, "noindex"]);
    expect(JSON.parse((await ask({ method: "POST", body: "hook" })).body)).toMatchObject({ method: "POST", bytes: 4 });
    const { head, socket } = await openSocket({ Origin: origin });
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    socket.destroy();
  });

  test("is not opened to what another page causes, and its own cookies are its own", async () => {
    share();
    const evil = { origin: "https://evil.example" };
    expect((await ask({ method: "POST", headers: evil })).status).toBe(403);
    expect((await ask({ headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } })).status).toBe(403);
    expect((await openSocket({ Origin: "https://evil.example" })).head).toMatch(/^HTTP\/1\.1 403 /);
    expect(visitor.echo.seen).toEqual([]);
  });

  test("never sees a cookie of ours, whoever visits", async () => {
    share();
    const canaries = [
      visitor.cookie,
      visitor.dashboard,
      guest.dashboard,
      "codehub_ws=CANARY",
      "__Host-codehub_x=CANARY",
    ];
    for (const own of [ownerCookie, "app=1"])
      for (const canary of canaries) {
        // Two of one name are refused, and that is another test's.
        const cookie = [own, canary]
          .filter((one, index) => index === 0 || !one.startsWith("__Host-codehub_ws"))
          .join("; ");
        await ask({ headers: { cookie: `program=2; ${cookie}` } });
        (await openSocket({ Origin: origin, Cookie: `program=2; ${cookie}` })).socket.destroy();
      }
    expect(headersSeen()).toContain("program=2");
    expect(headersSeen()).not.toMatch(/codehub_|CANARY/i);
    expect(headersSeen()).not.toContain(ownerCookie.split("=")[1]);
  });

  test("is not used by its owner while others visit it", async () => {
    share();
    const { touched } = visitor.front.world;
    const type = async (cookie: string) => {
      const { socket } = await openSocket({ Origin: origin, Cookie: cookie });
      socket.write(frame(Buffer.from("something a person types")));
      await once(socket, "data");
      socket.destroy();
    };
    await ask({ headers: PAGE });
    await type("");
    expect(touched).toEqual([]);
    await type(ownerCookie);
    expect(touched).toEqual([visitor.row.id]);
    await ask({ headers: { ...PAGE, cookie: ownerCookie } });
    expect(touched).toHaveLength(2);
  });

  test("has room for so many of them, and always for its owner", async () => {
    share();
    const open = async (headers: Record<string, string>) => (await openSocket({ Origin: origin, ...headers })).head;
    const heads = await Promise.all(Array.from({ length: MOST_GUESTS }, () => open({})));
    expect(new Set(heads.map((head) => head.slice(0, 12)))).toEqual(new Set(["HTTP/1.1 101"]));
    expect(await open({})).toMatch(/^HTTP\/1\.1 503 /);
    expect((await ask({ headers: PAGE })).status).toBe(503);
    expect(await open({ Cookie: ownerCookie })).toMatch(/^HTTP\/1\.1 101 /);
    visitor.front.proxy.leave();
    await expect.poll(() => visitor.front.proxy.openStreams).toBe(0);
    expect((await ask({ headers: PAGE })).status).toBe(200);
  });
});

describe("a port that is shared with whoever is signed in", () => {
  beforeEach(() => share({ audience: "users" }));

  test("is opened by way of the dashboard, with a session that is good for it alone", async () => {
    const cookie = await guestCookie();
    expect(cookie).not.toBe("");
    const page = await ask({ headers: { ...PAGE, cookie } });
    expect([page.status, page.headers["x-robots-tag"]]).toEqual([200, "noindex"]);
    expect(headersSeen()).not.toMatch(/codehub_/i);
    share({ audience: "users", port: OTHER_PORT });
    const { front, row } = visitor;
    for (const port of [null, OTHER_PORT]) {
      const elsewhere = front.origins.workspace(row, port).host;
      expect((await front.ask({ host: elsewhere, headers: { cookie } })).status).toBe(401);
    }
    expect(visitor.echo.seen).toHaveLength(1);
  });

  test("is nothing to a stranger, and neither is it to a page elsewhere that a guest visits", async () => {
    expect((await ask()).status).toBe(401);
    expect(pathOf(await ask({ headers: PAGE }))).toMatch(/^\/w\//);
    const cookie = await guestCookie();
    const headers = { cookie, origin: "https://evil.example" };
    expect((await ask({ method: "POST", headers })).status).toBe(403);
    expect((await ask({ method: "POST", headers: { cookie } })).status).toBe(403);
    expect((await openSocket({ Origin: "https://evil.example", Cookie: cookie })).head).toMatch(/^HTTP\/1\.1 403 /);
  });

  test("keeps what is ours below /.codehub/ from guests", async () => {
    const cookie = await guestCookie();
    const state = await ask({ path: "/.codehub/state", headers: { cookie } });
    expect(JSON.parse(state.body)).toMatchObject({ state: "signed-out", pill: null });
    expect((await ask({ path: "/.codehub/awake", method: "POST", headers: { cookie, origin } })).status).toBe(404);
  });
});

describe("a port that is not shared", () => {
  const NOBODYS = { id: "00000000-0000-4000-8000-00000000dead", address: "payments-api-7f3k9p" };

  /** What a stranger, and somebody who is signed in, can find out. */
  async function answers({ id, address }: Pick<Workspace, "id" | "address">) {
    const { front } = visitor;
    const at = front.origins.workspace({ id, address }, PORT);
    const anonymous = [
      await front.ask({ host: at.host, headers: PAGE }),
      await front.ask({ host: at.host }),
      await front.ask({ host: at.host, method: "POST", headers: { origin: at.origin } }),
    ];
    const door = `/w/${at.name}/?port=${PORT}`;
    const signedIn = await front.ask({ path: door, headers: { ...PAGE, cookie: guest.dashboard } });
    const plain = (text: string) => text.replace(/state=[^&]*/, "").replaceAll(at.name, "NAME");
    return [...anonymous, signedIn].map(({ status, body, headers }) => ({
      ...{ status, location: plain(String(headers.location ?? "")), body: plain(body) },
    }));
  }

  test.each<[string, () => void]>([
    ["that never was", () => undefined],
    ["on another port", () => share({ port: OTHER_PORT })],
    ["that is over", () => share({ expiresAt: now })],
    ["of somebody else's workspace", () => share({ workspaceId: visitor.front.world.addWorkspace(guest.account).id })],
  ])("looks as if there were no workspace: a share %s", async (_, arrange) => {
    const none = await answers(NOBODYS);
    arrange();
    expect(await answers(visitor.row)).toEqual(none);
    expect(none.map(({ status }) => status)).toEqual([303, 401, 401, 404]);
  });

  test.each(["off", "users"] as const)("is one that the operator does not allow: %s", async (sharing) => {
    await visitor.stop();
    await begin({ sharing });
    const none = await answers(NOBODYS);
    share();
    expect(await answers(visitor.row)).toEqual(none);
  });
});

describe("a workspace that does not run", () => {
  test.each(["users", "public"] as const)("is not woken by a visit to what it shares with %s", async (audience) => {
    share({ audience });
    const cookie = await guestCookie();
    const { front, row } = visitor;
    front.world.patch(row.id, { phase: "STANDBY", desiredState: "STANDBY", endpoint: null });
    front.proxy.workspaceChanged(row.id);
    const page = await ask({ headers: { ...PAGE, cookie } });
    expect([page.status, page.body.includes("Not running now"), page.body.includes("Resume")]).toEqual([
      503,
      true,
      false,
    ]);
    expect((await ask({ headers: { cookie } })).status).toBe(503);
    expect((await openSocket({ Origin: origin, Cookie: cookie })).head).toMatch(/^HTTP\/1\.1 503 /);
    const door = await front.ask({ path: `/w/${row.id}/?port=${PORT}`, headers: { ...PAGE, cookie: guest.dashboard } });
    expect([door.status, door.body.includes("Not running now")]).toEqual([503, true]);
    expect(front.world.rows.get(row.id)?.desiredState).toBe("STANDBY");
    expect(front.world.touched).toEqual([]);
  });
});

describe("an open connection of a guest", () => {
  const ENDS: readonly [string, () => void][] = [
    ["the share is closed", () => void visitor.front.world.shares.splice(0)],
    [
      "the workspace stops",
      () => visitor.front.world.patch(visitor.row.id, { operation: "STOPPING", desiredState: "STANDBY" }),
    ],
    ["the workspace has another address", () => visitor.front.world.patch(visitor.row.id, { address: MOVED })],
    ["the workspace is deleted", () => visitor.front.world.patch(visitor.row.id, { deletedAt: now })],
    [
      "its time is over",
      () => {
        now += 3_600_001;
      },
    ],
  ];
  describe.each(["users", "public"] as const)("of what is shared with %s", (audience) => {
    test.each(ENDS)("ends when %s", async (_, end) => {
      share({ audience, expiresAt: now + 3_600_000 });
      const cookie = audience === "users" ? await guestCookie() : "";
      const { socket, head } = await openSocket({ Origin: origin, Cookie: cookie });
      expect(head).toMatch(/^HTTP\/1\.1 101 /);
      end();
      visitor.front.proxy.workspaceChanged(visitor.row.id);
      await once(socket, "close");
      expect((await openSocket({ Origin: origin, Cookie: cookie })).head).not.toMatch(/^HTTP\/1\.1 101 /);
    });
  });

  test("is led on from an address that the workspace has left, and only where everybody is let in", async () => {
    const { front, row, echo } = visitor;
    front.world.write(row.id, { address: MOVED });
    share();
    const moved = `http://${PORT}--${MOVED}.localhost:8000`;
    expect((await front.ask({ host: new URL(moved).host })).status).toBe(200);
    const served = echo.seen.length;
    for (const headers of [PAGE, {}]) {
      const answer = await ask({ path: "/x?y=1", headers });
      expect([answer.status, answer.headers.location]).toEqual([303, `${moved}/x?y=1`]);
    }
    expect((await ask({ method: "POST", path: "/hook" })).status).toBe(401);
    expect((await ask({ headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } })).status).toBe(403);
    front.world.shares.splice(0);
    share({ audience: "users" });
    expect(pathOf(await ask({ headers: PAGE }))).toMatch(/^\/w\//);
    expect((await ask({})).status).toBe(401);
    expect(echo.seen.length).toBe(served);
  });

  test("ends within the time between two looks, with no news of anything, and the owner's stays", async () => {
    share({ expiresAt: now + 1_000 });
    const stays = await openSocket({ Origin: origin, Cookie: ownerCookie });
    const goes = await openSocket({ Origin: origin });
    now += 1_001;
    await once(goes.socket, "close");
    stays.socket.write("still");
    expect(String((await once(stays.socket, "data"))[0])).toBe("still");
    stays.socket.destroy();
  });

  test("ends when the guest signs out", async () => {
    share({ audience: "users" });
    const { socket, head } = await openSocket({ Origin: origin, Cookie: await guestCookie() });
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    visitor.front.world.logout(guest.sessionId);
    visitor.front.proxy.sessionsChanged();
    await once(socket, "close");
  });

  test("ends when the owner is disabled, as whose shares are no more, and when others are to sign in now", async () => {
    share();
    const { socket } = await openSocket({ Origin: origin });
    visitor.front.world.shares.splice(0);
    visitor.front.proxy.sessionsChanged();
    await once(socket, "close");
    share();
    const again = await openSocket({ Origin: origin });
    visitor.front.world.shares.splice(0);
    share({ audience: "users" });
    await once(again.socket, "close");
  });
});
