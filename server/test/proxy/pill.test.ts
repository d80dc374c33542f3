import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startVisitor, type Visitor } from "./visitor.ts";

const MINUTE = 60_000;
let visitor: Visitor;

beforeEach(async () => {
  visitor = await startVisitor();
});
afterEach(() => visitor.stop());

/** As a script in the workspace would: from its own origin, with its own cookie. */
const fromInside = { origin: "", "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
const ask = (path: string, method = "GET", headers: Record<string, string> = {}) =>
  visitor.ask({ path, method, headers: { ...fromInside, origin: visitor.origin, ...headers } });
const row = () => visitor.front.world.rows.get(visitor.row.id);

describe("what a workspace's own code is told", () => {
  test("is which workspace it is, when it sleeps and how much longer it may be kept awake", async () => {
    const now = Date.now();
    visitor.front.world.patch(visitor.row.id, { lastAccessAt: now - MINUTE, phaseChangedAt: now - MINUTE });
    const { status, body } = await ask("/.codehub/state");
    expect(status).toBe(200);
    const { state, pill } = JSON.parse(body);
    expect(state).toBe("ready");
    expect(Object.keys(pill).sort()).toEqual([
      ...["awake_left_ms", "awake_ms", "dashboard", "disk", "name", "page", "sleeps_in_ms", "warn_ms"],
    ]);
    expect(pill).toMatchObject({ name: "paper", awake_ms: 0, awake_left_ms: 90 * MINUTE, warn_ms: 2 * MINUTE });
    expect(pill.page).toBe(`http://localhost:8000/workspaces/${visitor.row.id}`);
    expect(pill.sleeps_in_ms).toBeGreaterThan(8 * MINUTE);
    expect(pill.sleeps_in_ms).toBeLessThanOrEqual(9 * MINUTE);
  });

  test("is that its disk is nearly full, of the volume that is its home now", async () => {
    const disk = { usedBytes: 96, totalBytes: 100, shared: false, volume: visitor.row.homeVolume ?? "", at: 1 };
    const told = async () => JSON.parse((await ask("/.codehub/state")).body).pill.disk;
    const know = (volume: string) => {
      visitor.front.world.patch(visitor.row.id, { homeCtx: { ...visitor.row.homeCtx, disk: { ...disk, volume } } });
      visitor.front.proxy.workspaceChanged(visitor.row.id);
    };
    expect(await told()).toBeNull();
    know(disk.volume);
    expect(await told()).toEqual({ used_bytes: 96, total_bytes: 100, shared: false });
    know("a-former-volume");
    expect(await told()).toBeNull();
  });

  test("is no pill where it does not run, on a port, or without a session", async () => {
    const port = visitor.front.origins.workspace(visitor.row, 3000);
    const admitted = visitor.front.world.admit(visitor.row, visitor.sessionId, 3000);
    const onPort = await visitor.front.ask({
      host: port.host,
      path: "/.codehub/state",
      headers: { cookie: `__Host-codehub_ws=${admitted}` },
    });
    expect(JSON.parse(onPort.body)).toMatchObject({ state: "ready", pill: null });
    const out = await visitor.front.ask({ host: visitor.host, path: "/.codehub/state" });
    expect(JSON.parse(out.body)).toMatchObject({ state: "signed-out", pill: null });
    visitor.front.world.patch(visitor.row.id, { phase: "STANDBY", desiredState: "STANDBY", endpoint: null });
    visitor.front.proxy.workspaceChanged(visitor.row.id);
    expect(JSON.parse((await ask("/.codehub/state")).body)).toMatchObject({ state: "asleep", pill: null });
  });
});

describe("what it can ask for", () => {
  test("is to be kept awake, up to the operator's bound, and it is no activity", async () => {
    const before = row()?.lastAccessAt;
    const first = await ask("/.codehub/awake", "POST");
    expect(first.status).toBe(200);
    expect(JSON.parse(first.body).pill.awake_left_ms).toBe(30 * MINUTE);
    const until = row()?.keepAwakeUntil ?? 0;
    expect(until - Date.now()).toBeGreaterThan(59 * MINUTE);
    // An hour is an hour, however often it is asked for.
    for (let i = 0; i < 20; i += 1) await ask("/.codehub/awake", "POST");
    expect(row()?.keepAwakeUntil).toBe(until);

    visitor.front.world.patch(visitor.row.id, { keepAwakeUntil: null });
    visitor.front.proxy.workspaceChanged(visitor.row.id);
    const second = await ask("/.codehub/awake", "POST");
    expect(JSON.parse(second.body).pill.awake_left_ms).toBe(0);
    const last = row()?.keepAwakeUntil ?? 0;
    expect(last - Date.now()).toBeLessThanOrEqual(30 * MINUTE);

    visitor.front.world.patch(visitor.row.id, { keepAwakeUntil: null });
    visitor.front.proxy.workspaceChanged(visitor.row.id);
    const third = await ask("/.codehub/awake", "POST");
    expect(JSON.parse(third.body).pill).toMatchObject({ awake_ms: 0, awake_left_ms: 0 });
    expect(row()).toMatchObject({ keepAwakeUntil: null, lastAccessAt: before, desiredState: "RUNNING" });
    expect(visitor.front.world.touched).toEqual([]);
    expect(visitor.echo.seen).toHaveLength(0);
  });

  test("wakes nothing", async () => {
    visitor.front.world.patch(visitor.row.id, { phase: "STANDBY", desiredState: "STANDBY", endpoint: null });
    visitor.front.proxy.workspaceChanged(visitor.row.id);
    const answer = await ask("/.codehub/awake", "POST");
    expect(JSON.parse(answer.body)).toMatchObject({ state: "asleep", pill: null });
    expect(row()).toMatchObject({ desiredState: "STANDBY", keepAwakeUntil: null });
  });

  test.each([
    "stop",
    "standby",
    "archive",
    "delete",
    "share",
    "ports",
    "settings",
    "restart",
    "wake",
    "recover",
    "token",
  ])("is not %s, by any method", async (what) => {
    const before = row();
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const answer = await ask(`/.codehub/${what}`, method);
      expect([method, answer.status]).toEqual([method, 404]);
    }
    expect(row()).toEqual(before);
  });
});

describe("who cannot", () => {
  const refused = async (headers: Record<string, string>, status: number) => {
    const before = row();
    const answer = await ask("/.codehub/awake", "POST", headers);
    expect(answer.status).toBe(status);
    expect(row()).toEqual(before);
  };

  test("another site's page", () => refused({ origin: "http://evil.example", "sec-fetch-site": "cross-site" }, 403));

  test("another workspace's page", () =>
    refused(
      { origin: "http://22222222-2222-4222-8222-222222222222.localhost:8000", "sec-fetch-site": "same-site" },
      403,
    ));

  test("a request that does not say where it comes from", () => refused({ origin: "null" }, 403));

  test("one without a session", () => refused({ cookie: "__Host-codehub_ws=nobody" }, 401));

  test("a program on another port of the same workspace", async () => {
    const port = visitor.front.origins.workspace(visitor.row, 3000);
    const token = visitor.front.world.admit(visitor.row, visitor.sessionId, 3000);
    const before = row();
    const answer = await visitor.front.ask({
      host: port.host,
      path: "/.codehub/awake",
      method: "POST",
      headers: { cookie: `__Host-codehub_ws=${token}`, origin: port.origin },
    });
    expect(answer.status).toBe(404);
    expect(row()).toEqual(before);
  });
});
