import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspace } from "#core/rows/workspace.ts";
import type { ProgressView } from "#ports/views.ts";
import { SOURCE } from "../fixtures/workspace.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

const BY_HAND = {
  accept: "text/html",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-user": "?1",
  "sec-fetch-site": "same-origin",
};
const BY_SCRIPT = {
  accept: "text/html",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-site": "cross-site",
};

let visitor: Visitor;

beforeEach(async () => {
  visitor = await startVisitor();
});
afterEach(() => visitor.stop());

function sleep(change: Partial<Workspace> = {}) {
  visitor.front.world.patch(visitor.row.id, { phase: "STANDBY", desiredState: "STANDBY", endpoint: null, ...change });
  visitor.front.proxy.workspaceChanged(visitor.row.id);
}
const desired = () => visitor.front.world.rows.get(visitor.row.id)?.desiredState;
const door = (headers: Record<string, string> = BY_HAND, rest = "/", method = "GET") =>
  visitor.front.ask({
    path: `/w/${visitor.row.id}${rest}`,
    method,
    headers: { cookie: visitor.dashboard, ...headers },
  });
const press = (name: string, headers: Record<string, string> = {}) =>
  door(
    {
      origin: "http://localhost:8000",
      "sec-fetch-site": "same-origin",
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    },
    `/.codehub/${name}`,
    "POST",
  );

describe("a sleeping workspace", () => {
  test("is woken by a person and shows its steps", async () => {
    sleep();
    const answer = await door();
    expect(answer.status).toBe(200);
    expect(desired()).toBe("RUNNING");
    expect(answer.body).toContain("Waking paper");
    expect(answer.body).toContain("Wait for the IDE to answer");
  });

  test.each([
    ["a page that navigates", BY_SCRIPT],
    ["a prefetch", { ...BY_HAND, "sec-purpose": "prefetch" }],
    ["a frame", { ...BY_HAND, "sec-fetch-dest": "iframe" }],
    ["a fetch", { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" }],
  ])("is not woken by %s", async (_name, headers) => {
    sleep();
    await door(headers);
    expect(desired()).toBe("STANDBY");
  });

  test("offers to resume instead, and the button wakes it", async () => {
    sleep({ phase: "ARCHIVED", desiredState: "ARCHIVED" });
    const answer = await door(BY_SCRIPT);
    expect(answer.body).toContain(">Resume</button>");
    expect(answer.body).toContain("paper is archived");
    const pressed = await press("wake");
    expect([pressed.status, pressed.headers.location]).toEqual([303, `/w/${visitor.row.id}/.codehub/wait`]);
    expect(desired()).toBe("RUNNING");
  });

  test.each([
    ["no Origin", { origin: "" }],
    ["the workspace's Origin", { origin: "WORKSPACE" }],
    ["the same site", { "sec-fetch-site": "same-site" }],
  ])("is not woken by a form with %s", async (_name, headers) => {
    sleep();
    const sent = Object.fromEntries(
      Object.entries(headers).map(([k, v]) => [k, v.replace("WORKSPACE", visitor.origin)]),
    );
    expect((await press("wake", sent)).status).toBe(403);
    expect(desired()).toBe("STANDBY");
  });

  test("answers what a page fetches with 503, and sends a reloaded tab to the door without waking", async () => {
    sleep();
    const fetched = await visitor.ask({ headers: { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" } });
    expect([fetched.status, fetched.headers["retry-after"]]).toEqual([503, "10"]);
    const reloaded = await visitor.ask({
      path: "/?folder=/x",
      headers: { ...BY_SCRIPT, "sec-fetch-site": "same-origin" },
    });
    expect(reloaded.headers.location).toBe(`http://localhost:8000/w/${visitor.name}/?next=%2F%3Ffolder%3D%2Fx`);
    expect(desired()).toBe("STANDBY");
  });

  test("that was emptied says so and starts with a new home; one that is being emptied does not", async () => {
    const emptied = { phase: "PENDING", desiredState: "PENDING", homeVolume: null, archiveKey: null } as const;
    sleep({ ...emptied, operation: "DISCARDING" });
    const refused = await door();
    expect(refused.status).toBe(409);
    expect(desired()).toBe("PENDING");
    sleep({ ...emptied, operation: "NONE" });
    const shown = await door(BY_SCRIPT);
    expect(shown.body).toContain("paper is empty");
    expect(shown.body).toContain("with a new, empty home");
    expect(desired()).toBe("PENDING");
    expect((await door()).body).toContain("Waking paper");
    expect(desired()).toBe("RUNNING");
  });

  test("that the cache believes asleep is opened as soon as the row says otherwise", async () => {
    const { endpoint } = visitor.row;
    sleep();
    expect((await visitor.ask({ headers: BY_HAND })).status).toBe(303);
    visitor.front.world.patch(visitor.row.id, { phase: "RUNNING", desiredState: "RUNNING", endpoint });
    expect((await visitor.ask({ headers: BY_HAND })).status).toBe(200);
  });
});

test("the page that resumes says why the container ended", async () => {
  const at = Date.now() - 60_000;
  const ended = { code: "drained", fields: {}, message: "Eviction API: evicting", at };
  sleep({ phase: "STANDBY", desiredState: "STANDBY", homeCtx: { ...visitor.row.homeCtx, ended } });
  const { body } = await door(BY_SCRIPT);
  expect(body).toMatch(/The container ended \d\d:\d\d UTC because the cluster took it off its node/);
  expect(body).toContain("Resuming starts it again");
});

describe("the status", () => {
  const status = async (rest = "/.codehub/status") =>
    JSON.parse((await door({ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }, rest)).body);

  test("tells what is restored, how much and how long it takes", async () => {
    sleep({ phase: "ARCHIVED", desiredState: "RUNNING", operation: "RESTORING", homeVolume: null, archiveKey: "k" });
    visitor.front.world.progress.set(visitor.row.id, {
      step: "unpacking",
      doneBytes: 340_000_000,
      totalBytes: 900_000_000,
      doneFiles: 10,
      totalFiles: null,
      bytesPerSecond: 40_000_000,
      etaSeconds: 14,
      waiting: null,
      updatedAt: 0,
    });
    const { state, steps } = await status();
    expect(state).toBe("waking");
    expect(steps[0]).toEqual({
      label: "Restore the home from its archive",
      state: "active",
      detail: "340 MB of 900 MB · 40 MB/s · about 14 s left",
      said: "",
      percent: 37,
    });
    expect(steps.map((step: { state: string }) => step.state)).toEqual(["active", "todo", "todo"]);
  });

  test("tells what a start waits for and for how long, and below it what the engine says", async () => {
    sleep({ phase: "STANDBY", desiredState: "RUNNING", operation: "STARTING" });
    const message = "0/3 nodes are available: 3 Insufficient <memory>.";
    const rest = { doneBytes: 0, totalBytes: null, doneFiles: 0, totalFiles: null, bytesPerSecond: null };
    const waits = (waiting: NonNullable<ProgressView["waiting"]>): ProgressView => ({
      ...{ step: waiting.code, ...rest, etaSeconds: null, updatedAt: 0 },
      waiting,
    });
    const { progress } = visitor.front.world;
    const since = Date.now() - 120_000;
    progress.set(visitor.row.id, waits({ code: "no_node", fields: { message }, since }));
    const [, start] = (await status()).steps;
    expect(start).toEqual({
      label: "Start the workspace",
      state: "active",
      detail: "No node of the cluster can take it yet · for 2 min",
      said: message,
      percent: null,
    });
    expect((await door({}, "/.codehub/wait")).body).toContain("3 Insufficient &#60;memory&#62;.</span>");
    const pulling = { code: "pulling", fields: { done_bytes: 1, total_bytes: 4 }, since } as const;
    progress.set(visitor.row.id, { ...waits(pulling), doneBytes: 10e6, totalBytes: 40e6 });
    expect((await status()).steps[1]).toMatchObject({
      detail: "The image of the workspace is being pulled · for 2 min · 10 MB of 40 MB",
      said: "",
      percent: 25,
    });
    progress.set(visitor.row.id, waits({ code: "answering", fields: {}, since }));
    expect((await status()).steps.map((step: { state: string }) => step.state)).toEqual(["done", "done", "active"]);
  });

  test("says ready when the IDE can be opened, and since when a storage cannot be reached", async () => {
    expect((await status()).state).toBe("ready");
    const condition = {
      status: true,
      reason: "ArchiveUnreachable",
      message: "",
      lastTransitionTime: 0,
      unknownSince: Date.now() - 120_000,
    };
    sleep({
      phase: "ARCHIVED",
      desiredState: "RUNNING",
      homeVolume: null,
      archiveKey: "k",
      conditions: { "storage.archive_ready": condition },
    });
    expect((await status()).message).toContain("2 min ago");
  });

  test("is not for other sites", async () => {
    expect((await door({ "sec-fetch-site": "cross-site" }, "/.codehub/status")).status).toBe(403);
    expect((await door({ origin: visitor.origin }, "/.codehub/status")).status).toBe(403);
  });
});

describe("over the limit", () => {
  beforeEach(() => {
    const owner = { ...visitor.front.world.addUser(), id: visitor.row.ownerId };
    visitor.front.world.running(owner, visitor.echo.address, { name: "idlest <b>", lastAccessAt: 1 });
    visitor.front.world.running(owner, visitor.echo.address, { name: "busy", lastAccessAt: Date.now() });
    sleep();
  });

  test("a 502 page lists what runs and offers to put the idlest to standby", async () => {
    const answer = await door();
    expect(answer.status).toBe(502);
    expect(desired()).toBe("STANDBY");
    expect(answer.body).toContain("Put idlest &#60;b&#62; to standby and open this one");
    expect(answer.body).toContain("busy");
  });

  test("the button lowers the idlest only, and the page goes on when its place is free", async () => {
    const pressed = await press("make-room");
    expect(pressed.headers.location).toBe(`/w/${visitor.row.id}/.codehub/wait?room=1`);
    const rows = [...visitor.front.world.rows.values()];
    const idlest = rows.find((row) => row.name.startsWith("idlest"));
    expect(idlest?.desiredState).toBe("STANDBY");
    expect(rows.find((row) => row.name === "busy")?.desiredState).toBe("RUNNING");
    const page = await door(BY_HAND, "/.codehub/wait?room=1");
    expect(page.body).toContain("Making room for paper");
    const status = await door({ "sec-fetch-site": "same-origin" }, "/.codehub/status?room=1");
    expect(JSON.parse(status.body)).toMatchObject({ state: "asleep", slot_free: true });
    await press("wake");
    expect(desired()).toBe("RUNNING");
  });
});

describe("where only one person may start anything", () => {
  test("another one's workspace stays asleep, by link and by button, and the page says why", async () => {
    const single = await startVisitor({ singleUserOnly: true });
    try {
      const { world } = single.front;
      const second = world.addUser();
      const row = world.addWorkspace(second, { desiredState: "STANDBY", phase: "STANDBY" });
      const cookie = `__Host-Http-codehub=${world.login(second).token}`;
      const visit = (method: string, rest: string) => {
        const origin = single.front.origins.dashboard;
        const headers = {
          ...BY_HAND,
          cookie,
          ...(method === "POST" ? { origin, "sec-fetch-site": "same-origin" } : {}),
        };
        return single.front.ask({ host: "localhost:8000", method, path: `/w/${row.id}${rest}`, headers });
      };
      for (const answer of [await visit("GET", "/"), await visit("POST", "/.codehub/wake")])
        expect(answer.body).toContain("one person");
      expect(world.rows.get(row.id)?.desiredState).toBe("STANDBY");
    } finally {
      await single.stop();
    }
  });
});

describe("a workspace that cannot be opened", () => {
  test("in ERROR says why and what to do, escaped, and recovers at the press of a button", async () => {
    const errorInfo = {
      reason: "ActionFailed" as const,
      message: '<script>alert("x")</script>',
      operation: "STARTING" as const,
      isTerminal: true,
      attempts: 3,
      elapsedMs: null,
      previousPhase: "STANDBY" as const,
      occurredAt: 0,
    };
    sleep({ phase: "ERROR", desiredState: "RUNNING", errorReason: "ActionFailed", errorInfo });
    const page = await door();
    expect(page.status).toBe(503);
    expect(page.body).not.toContain("<script>");
    expect(page.body).toContain("What to do:");
    await press("recover");
    expect(visitor.front.world.rows.get(visitor.row.id)?.request?.action).toEqual({ kind: "recover" });
  });

  test("whose volume is lost needs a choice on the dashboard", async () => {
    sleep({ phase: "ERROR", desiredState: "RUNNING", errorReason: "DataLost" });
    const page = await door();
    expect(page.body).not.toContain("/.codehub/recover");
    expect(page.body).toContain("Choose on the dashboard");
  });

  test.each([
    ["is being emptied", { desiredState: "PENDING" as const }, 409],
    ["was deleted", { desiredState: "DELETED" as const, deletedAt: 1 }, 404],
  ])("%s answers so and wakes nothing", async (_name, change, status) => {
    sleep(change);
    expect((await door()).status).toBe(status);
    expect(desired()).toBe(change.desiredState);
  });

  test("because the database does not answer is a 503 that says so", async () => {
    visitor.front.world.down = true;
    const answer = await door();
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
  });
});

describe("somebody who must change the password", () => {
  const dueCookie = ({ front, row }: Visitor) => {
    const due = { ...front.world.addUser(), id: row.ownerId, mustChangePassword: true };
    return `__Host-Http-codehub=${front.world.login(due).token}`;
  };

  test("is led to the dashboard, which asks for it, and neither gets in nor wakes anything", async () => {
    const cookie = dueCookie(visitor);
    const answer = await door({ ...BY_HAND, cookie }, "/?next=%2Fx&state=abc");
    const way = encodeURIComponent(`/w/${visitor.row.id}/?next=%2Fx`);
    expect([answer.status, answer.headers.location]).toEqual([303, `/login?next=${way}`]);
    sleep();
    expect((await door({ ...BY_HAND, cookie })).status).toBe(303);
    expect((await press("wake", { cookie })).status).toBe(403);
    expect((await door({ cookie, "sec-fetch-mode": "cors" }, "/.codehub/status")).status).toBe(403);
    expect(desired()).toBe("STANDBY");
  });

  test("does not get in where workspaces share the dashboard's origin either", async () => {
    const single = await startVisitor({ singleOrigin: true });
    try {
      const cookie = dueCookie(single);
      const path = `/w/${single.row.id}/file`;
      expect((await single.front.ask({ path, headers: { cookie } })).status).toBe(403);
      const upgrade = handshake("localhost:8000", { Cookie: cookie, Origin: "http://localhost:8000" }, path);
      expect(await single.front.raw(upgrade)).toMatch(/^HTTP\/1\.1 403 /);
      expect(single.echo.seen).toHaveLength(0);
    } finally {
      await single.stop();
    }
  });
});

describe("a workspace whose repository is being got", () => {
  const prepare = (change: Partial<Workspace> = {}) =>
    sleep({ desiredState: "RUNNING", operation: "PREPARING", source: SOURCE, setupWanted: 1, ...change });
  const skipped = () => visitor.front.world.rows.get(visitor.row.id)?.setupSkipped;

  test("says how far that is, and goes on without it at the press of a button", async () => {
    prepare();
    const fields = { repository: SOURCE.key, host: SOURCE.host, percent: 42 };
    visitor.front.world.progress.set(visitor.row.id, {
      ...{ step: "cloning", doneBytes: 7e6, totalBytes: null, doneFiles: 0, totalFiles: null },
      ...{ bytesPerSecond: 2e6, etaSeconds: null, updatedAt: 0, waiting: { code: "cloning", fields, since: 0 } },
    });
    const page = await door();
    expect(page.body).toContain("Preparing paper");
    expect(page.body).toContain(`Get ${SOURCE.key}`);
    expect(page.body).toContain(`Cloning ${SOURCE.key}: 42 %`);
    expect(page.body).toContain('<progress max="100" value="42"');
    expect(page.body).toContain('<div id="skip">');
    const answer = await press("skip");
    expect([answer.status, answer.headers.location]).toEqual([303, `/w/${visitor.row.id}/.codehub/wait`]);
    expect(skipped()).toBe(1);
  });

  test("is not skipped by another site, nor by whoever does not own it", async () => {
    prepare();
    expect((await press("skip", { origin: "https://evil.example" })).status).toBe(403);
    expect((await press("skip", { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await press("skip", { cookie: "" })).status).toBe(401);
    expect(skipped()).toBe(0);
  });

  test("can be skipped before it is begun", async () => {
    prepare({ operation: "NONE" });
    const page = await door();
    expect(page.status).toBe(200);
    expect(page.body).toContain('<div id="skip">');
  });

  test("has nothing to skip once that is over, whatever came of it", async () => {
    prepare({ operation: "STARTING", setupSkipped: 1 });
    const page = await door();
    expect(page.body).toContain("Waking paper");
    expect(page.body).toContain('<div id="skip" hidden>');
    const status = await door({ "sec-fetch-site": "same-origin" }, "/.codehub/status");
    expect(JSON.parse(status.body)).toMatchObject({ can_skip: false });
  });
});

describe("an address with another method", () => {
  const atDoor = {
    "": "GET, HEAD",
    "/": "GET, HEAD",
    "/.codehub/wait": "GET, HEAD",
    "/.codehub/status": "GET, HEAD",
    "/.codehub/wake": "POST",
    "/.codehub/make-room": "POST",
    "/.codehub/recover": "POST",
    "/.codehub/skip": "POST",
  };
  const atWorkspace = {
    "/.codehub/auth": "GET",
    "/.codehub/tab.js": "GET, HEAD",
    "/.codehub/state": "GET",
    "/.codehub/awake": "POST",
  };
  const cases = (table: Record<string, string>) =>
    Object.entries(table).flatMap(([path, allow]) =>
      ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]
        .filter((method) => !allow.split(", ").includes(method))
        .map((method) => [method, path, allow] as const),
    );

  test.each(cases(atDoor))("%s at the door's %s is 405", async (method, rest, allow) => {
    sleep();
    const answer = await door({ origin: "http://localhost:8000" }, rest, method);
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    expect(desired()).toBe("STANDBY");
  });

  test.each(cases(atWorkspace))("%s at a workspace's %s is 405 and reaches nobody", async (method, path, allow) => {
    const answer = await visitor.ask({ path, method, headers: { origin: visitor.origin } });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    expect(visitor.echo.seen).toHaveLength(0);
  });
});

test("pages carry a policy that allows nothing but themselves", async () => {
  sleep();
  const { headers, body } = await door();
  const policy = String(headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
  expect(headers["referrer-policy"]).toBe("same-origin");
  expect(body).not.toMatch(/\son\w+=|style="/);
});

describe("in single-origin mode", () => {
  let single: Visitor;
  beforeEach(async () => {
    single = await startVisitor({ singleOrigin: true });
  });
  afterEach(() => single.stop());
  const ask = (path: string, headers: Record<string, string> = {}) =>
    single.front.ask({ path, headers: { cookie: single.dashboard, ...headers } });

  test("a workspace lies below its path, which it cannot leave with cookies, redirects or workers", async () => {
    single.echo.handler = (req, res) => {
      res.writeHead(302, [
        "Location",
        "/login",
        "Set-Cookie",
        "a=b; Path=/",
        "Service-Worker-Allowed",
        "/",
        "X-Path",
        String(req.url),
        "X-Cookie",
        String(req.headers.cookie),
      ]);
      res.end();
    };
    const { headers } = await ask(`/w/${single.row.id}/a?b=1`);
    expect(headers.location).toBe(`/w/${single.row.id}/login`);
    expect(headers["set-cookie"]).toEqual([`a=b; Path=/w/${single.row.id}/`]);
    expect(headers).not.toHaveProperty("service-worker-allowed");
    expect([headers["x-path"], headers["x-cookie"]]).toEqual(["/a?b=1", "undefined"]);
  });

  test("a path that could be read in two ways is refused", async () => {
    for (const rest of ["/../x", "/%2e%2e/x", "/a//b", "/a;b", "/%2F", "/%5c"]) {
      const text = await single.front.raw(
        `GET /w/${single.row.id}${rest} HTTP/1.1\r\nHost: localhost:8000\r\nCookie: ${single.dashboard}\r\nConnection: close\r\n\r\n`,
      );
      expect(text, rest).toMatch(/^HTTP\/1\.1 400 /);
    }
    expect(single.echo.seen).toHaveLength(0);
  });

  test("names of workspaces are nobody's", async () => {
    expect((await single.front.ask({ host: single.host })).status).toBe(421);
  });
});
