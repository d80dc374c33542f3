import { once } from "node:events";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { IdeFiles } from "#ports/ide-files.ts";
import { SOURCE } from "../fixtures/workspace.ts";
import type { Answer, Ask } from "./harness.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

const NAVIGATION = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const PERSON = { ...NAVIGATION, "sec-fetch-site": "none", "sec-fetch-user": "?1" };
const FETCH = { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin" };
const FOLDER = "/?folder=/home/mina";
const NONCE = "b2xkIG5vbmNl";
const POLICY = `script-src 'self' 'nonce-${NONCE}'`;
const MODULE = '<script type="module" src="./stable-1/static/out/workbench.js"></script>';
const PAGE = `<!DOCTYPE html><html><head><script nonce="${NONCE}"></script>
<meta id="vscode-workbench-web-configuration" data-settings="{}"></head>
<body>ü</body>${MODULE}${MODULE}</html>`;
const FILE = "/stable-1/static/out/workbench.js";
const ASLEEP = { phase: "STANDBY", operation: "NONE", desiredState: "STANDBY", endpoint: null } as const;
const STARTING = { ...ASLEEP, operation: "STARTING", desiredState: "RUNNING" } as const;

const files: IdeFiles = {
  find: async (path, accepted) =>
    path === FILE
      ? {
          type: "text/javascript",
          coding: accepted.has("zstd") ? "zstd" : null,
          varies: true,
          bytes: 9,
          tag: accepted.has("zstd") ? '"t-zstd"' : '"t"',
          open: () => Readable.from([Buffer.from(accepted.has("zstd") ? "packed it" : "workbench")]),
        }
      : null,
};

let visitor: Visitor;

beforeEach(async () => {
  visitor = await startVisitor({ ideFiles: files });
  visitor.echo.handler = (req, res) =>
    req.url === FOLDER
      ? res
          .writeHead(200, { "content-type": "text/html", "content-security-policy": POLICY, "set-cookie": "a=b" })
          .end(PAGE)
      : res.end(`container ${req.url}`);
});
afterEach(() => visitor.stop());

const visit = (path: string, ask: Ask = {}): Promise<Answer> =>
  visitor.ask({ ...ask, path, headers: { ...NAVIGATION, ...ask.headers } });

function becomes(change: Parameters<Visitor["front"]["world"]["patch"]>[1]): void {
  visitor.front.world.patch(visitor.row.id, change);
  visitor.front.proxy.workspaceChanged(visitor.row.id);
}

const runs = () =>
  becomes({ phase: "RUNNING", operation: "NONE", desiredState: "RUNNING", endpoint: visitor.row.endpoint });

/** The page was seen once, and the workspace has gone to sleep since. */
async function seenThen(change: Parameters<typeof becomes>[0]): Promise<void> {
  expect((await visit(FOLDER)).status).toBe(200);
  becomes(change);
}

const door = (query = "", headers: Readonly<Record<string, string>> = PERSON): Promise<Answer> =>
  visitor.front.ask({ path: `/w/${visitor.row.id}/${query}`, headers: { cookie: visitor.dashboard, ...headers } });

const atDoor = (answer: Answer): string => String(answer.headers.location).replace(visitor.name, "ID");

describe("the page of an IDE whose container starts", () => {
  test("is the one that its own container served last, with a nonce of its own, and asks for its modules at once", async () => {
    await seenThen(STARTING);
    const [first, second] = [await visit(FOLDER), await visit(FOLDER)];
    const nonces = [first, second].map((answer) => {
      expect(answer.status).toBe(200);
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(answer.headers["set-cookie"]).toBeUndefined();
      const nonce = /'nonce-([\w-]+)'/.exec(String(answer.headers["content-security-policy"]))?.[1] ?? "";
      const head = `<link rel="preload" as="script" crossorigin href=".${FILE}"><script src="/.codehub/tab.js" defer data-ahead="${visitor.row.name}"></script>`;
      expect(answer.body).toBe(PAGE.replaceAll(NONCE, nonce).replace("<head>", `<head>${head}`));
      return nonce;
    });
    expect(new Set([...nonces, NONCE]).size).toBe(3);
  });

  test("asks for its modules at once from the second time on, also when it comes from the container", async () => {
    const tag = '<script src="/.codehub/tab.js" defer></script>';
    const link = `<link rel="preload" as="script" crossorigin href=".${FILE}">`;
    expect((await visit(FOLDER)).body).toBe(PAGE.replace("<head>", `<head>${tag}`));
    expect((await visit(FOLDER)).body).toBe(PAGE.replace("<head>", `<head>${link}${tag}`));
  });

  test("is neither activity nor a reason to wake", async () => {
    await seenThen(ASLEEP);
    visitor.front.world.touched.length = 0;
    expect(atDoor(await visit(FOLDER))).toBe("http://localhost:8000/w/ID/?next=%2F%3Ffolder%3D%2Fhome%2Fmina");
    expect((await visitor.ask({ path: FILE })).status).toBe(200);
    expect(visitor.front.world.rows.get(visitor.row.id)?.desiredState).toBe("STANDBY");
    becomes(STARTING);
    expect((await visit(FOLDER)).status).toBe(200);
    expect(visitor.front.world.touched).toEqual([]);
  });

  test("is not loaded ahead while its repository is yet to be got", async () => {
    await seenThen({ ...STARTING, operation: "NONE", source: SOURCE, setupWanted: 1 });
    expect((await door()).body).toContain("Open without waiting");
    becomes({ setupSkipped: 1 });
    expect((await door()).status).toBe(303);
  });

  test("is found from the root, as the IDE itself would", async () => {
    await seenThen(STARTING);
    expect(atDoor(await visit("/"))).toBe(`http://ID.localhost:8000${FOLDER}`);
  });

  test.each([
    ["of another owner", { ownerId: "another" }],
    ["of another image", { imageRef: "another" }],
  ])("is not that %s, and is forgotten", async (_name, other) => {
    await seenThen({ ...STARTING, ...other });
    const { world, origins } = visitor.front;
    const row = world.rows.get(visitor.row.id) ?? visitor.row;
    const cookie = `__Host-codehub_ws=${world.admit(row, visitor.sessionId)}`;
    const ask = () =>
      visitor.front.ask({
        host: origins.workspace(row, null).host,
        path: FOLDER,
        headers: { cookie, ...NAVIGATION },
      });
    expect((await ask()).status).toBe(303);
    becomes({ ownerId: visitor.row.ownerId, imageRef: visitor.row.imageRef });
    expect(atDoor(await visit(FOLDER))).toContain("/w/ID/?wait=1");
  });

  test("is not shown to whoever has no session, or one for another workspace", async () => {
    await seenThen(STARTING);
    const other = visitor.front.world.addWorkspace({ ...visitor.front.world.addUser(), id: visitor.row.ownerId });
    const foreign = `__Host-codehub_ws=${visitor.front.world.admit(other, visitor.sessionId)}`;
    for (const cookie of ["", foreign]) {
      const answer = await visit(FOLDER, { headers: { cookie } });
      expect(answer.status).toBe(303);
      expect(atDoor(answer)).toMatch(/\/w\/ID\/\?state=/);
    }
  });

  test.each([
    ["no page of an IDE", () => PAGE.replace("vscode-workbench-web-configuration", "x"), FOLDER],
    ["longer than a page of an IDE", () => PAGE + "x".repeat(64 * 1024), FOLDER],
    ["of a folder that was closed", () => PAGE, `${FOLDER}&ew=true`],
    ["below the root", () => PAGE, "/a/?folder=/home/mina"],
  ])("is none that was %s", async (_name, page, path) => {
    visitor.echo.handler = (_req, res) => res.writeHead(200, { "content-type": "text/html" }).end(page());
    await visit(path);
    becomes(STARTING);
    expect(atDoor(await visit(path))).toMatch(/\/w\/ID\/\?wait=1/);
  });

  test("is none that was cut off", async () => {
    visitor.echo.handler = (_req, res) => {
      res.writeHead(200, { "content-type": "text/html", "content-length": "100000" });
      res.write(PAGE, () => res.destroy());
    };
    await visit(FOLDER).catch(() => null);
    becomes(STARTING);
    expect((await visit(FOLDER)).status).toBe(303);
  });

  test.each([
    ["has to be restored first", { phase: "ARCHIVED", operation: "RESTORING" }],
    ["waits for another try", { nextAttemptAt: Date.now() + 60_000 }],
  ] as const)("is not served where the workspace %s", async (_name, change) => {
    await seenThen({ ...STARTING, ...change });
    expect(atDoor(await visit(FOLDER))).toMatch(/\/w\/ID\/\?wait=1/);
  });
});

describe("the door of a workspace that starts", () => {
  test("wakes it for a person and goes ahead at once", async () => {
    await seenThen(ASLEEP);
    const answer = await door();
    expect(visitor.front.world.rows.get(visitor.row.id)?.desiredState).toBe("RUNNING");
    expect([answer.status, atDoor(answer)]).toEqual([303, `http://ID.localhost:8000${FOLDER}`]);
  });

  test("stays with whoever asks to wait, and with whom it does not know the page of", async () => {
    await seenThen(STARTING);
    for (const query of ["?wait=1", "?next=/other", "?port=3000"]) {
      const answer = await door(query);
      expect([query, answer.status]).toEqual([query, 200]);
      expect(answer.body).toContain("Waking");
    }
    const status = /data-status="([^"]*)"/.exec((await door("?wait=1")).body)?.[1] ?? "";
    expect(status).toBe(`/w/${visitor.row.id}/.codehub/status?wait=1`);
  });

  test("tells a page that waits of news the moment it comes, and that there is a page", async () => {
    await seenThen(STARTING);
    const ask = (query: string) => door(`.codehub/status?${query}`, { ...FETCH, accept: "application/json" });
    const { version, ahead } = JSON.parse((await ask("")).body);
    expect(ahead).toBe(true);
    expect(JSON.parse((await ask("wait=1")).body).ahead).toBe(false);
    const read = visitor.front.world.nextRead();
    const late = ask(`after=${version}`);
    await read;
    runs();
    expect(JSON.parse((await late).body)).toMatchObject({ state: "ready", version: version + 1 });
  });
});

/** Begun, and seen to wait: its row was read, and there is no answer. */
async function held<T>(begin: () => Promise<T>): Promise<() => Promise<T>> {
  const read = visitor.front.world.nextRead();
  const answer = begin();
  await read;
  return () => answer;
}

describe("what an IDE asks for while its container starts", () => {
  test("waits for it, and is answered by it", async () => {
    becomes(STARTING);
    const answer = await held(() => visitor.ask({ path: "/manifest.json", headers: FETCH }));
    becomes({ operation: "STARTING" });
    runs();
    expect(await answer()).toMatchObject({ status: 200, body: "container /manifest.json" });
  });

  test("waits as a WebSocket, too", async () => {
    visitor.echo.onUpgrade = (_req, socket) =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    becomes(STARTING);
    const socket = await visitor.front.socket();
    const { host, cookie, origin } = visitor;
    const begun = await held(() => {
      socket.write(handshake(host, { cookie, origin }));
      return once(socket, "data");
    });
    runs();
    expect(String(await begun())).toContain("101 Switching Protocols");
    socket.destroy();
  });

  test("is refused when its session ends meanwhile, or the start does", async () => {
    becomes(STARTING);
    const stopped = await held(() => visitor.ask({ path: "/a", headers: FETCH }));
    becomes(ASLEEP);
    expect((await stopped()).status).toBe(503);
    becomes(STARTING);
    const signedOut = await held(() => visitor.ask({ path: "/a", headers: FETCH }));
    visitor.front.world.logout(visitor.sessionId);
    visitor.front.proxy.sessionsChanged();
    runs();
    expect((await signedOut()).status).toBe(401);
    expect(visitor.echo.seen).toEqual([]);
  });

  test("is refused at once where it sleeps, where it brings a body, and where the start is put off", async () => {
    becomes(ASLEEP);
    expect((await visitor.ask({ path: "/a", headers: FETCH })).status).toBe(503);
    becomes(STARTING);
    const { origin } = visitor;
    expect((await visitor.ask({ path: "/a", method: "POST", body: "x", headers: { ...FETCH, origin } })).status).toBe(
      503,
    );
    becomes({ nextAttemptAt: Date.now() + 60_000 });
    expect((await visitor.ask({ path: "/a", headers: FETCH })).status).toBe(503);
  });
});

describe("the IDE's own files", () => {
  test.each([
    ["sleeps", ASLEEP],
    ["starts", STARTING],
    ["runs", {}],
  ])("are served to the owner, for ever, while the workspace %s", async (_name, change) => {
    becomes(change);
    const answer = await visitor.ask({ path: FILE, headers: FETCH });
    expect(answer).toMatchObject({ status: 200, body: "workbench" });
    expect(answer.headers).toMatchObject({
      "cache-control": "private, max-age=31536000, immutable",
      "content-type": "text/javascript",
      "content-length": "9",
      vary: "Accept-Encoding",
      etag: '"t"',
    });
    expect(answer.headers["content-encoding"]).toBeUndefined();
    expect(visitor.echo.connections).toBe(0);
  });

  test("come in a coding that the browser takes, and in no other", async () => {
    const ask = (coding: string) => visitor.ask({ path: FILE, headers: { ...FETCH, "accept-encoding": coding } });
    const packed = await ask("gzip, deflate, ZSTD;q=0.5");
    expect([packed.body, packed.headers["content-encoding"], packed.headers.etag]).toEqual([
      "packed it",
      "zstd",
      '"t-zstd"',
    ]);
    for (const coding of ["zstd;q=0", "zstd; q=0.000", "xzstd", "*", ""]) {
      expect((await ask(coding)).headers["content-encoding"]).toBeUndefined();
    }
  });

  test("are not sent again, nor for a HEAD; whoever asks for a part gets the whole", async () => {
    const ask = (method: string, headers: Readonly<Record<string, string>>) =>
      visitor.ask({ path: FILE, method, headers: { ...FETCH, ...headers } });
    expect(await ask("GET", { "if-none-match": 'W/"t", "u"' })).toMatchObject({ status: 304, body: "" });
    expect(await ask("GET", { "if-none-match": '"t-zstd"' })).toMatchObject({ status: 200 });
    const head = await ask("HEAD", {});
    expect([head.status, head.body, head.headers["content-length"]]).toEqual([200, "", "9"]);
    expect(await ask("GET", { range: "bytes=0-3" })).toMatchObject({ status: 200, body: "workbench" });
  });

  test("are nobody else's: no session, another workspace's, another owner's, another site's page", async () => {
    const { front, host, row, sessionId } = visitor;
    const other = front.world.addWorkspace(front.world.addUser());
    const admit = (to: typeof row) => `__Host-codehub_ws=${front.world.admit(to, sessionId)}`;
    const status = async (cookie: string, headers: Readonly<Record<string, string>> = FETCH) =>
      (await front.ask({ host, path: FILE, headers: { cookie, ...headers } })).status;
    expect(await status("")).toBe(401);
    expect(await status(admit(other))).toBe(401);
    expect(await status(admit({ ...row, ownerId: other.ownerId }))).toBe(404);
    expect(await status(visitor.cookie, { ...FETCH, "sec-fetch-site": "cross-site" })).toBe(403);
    becomes({ deletedAt: Date.now() });
    expect(await status(visitor.cookie)).toBe(404);
  });

  test("and nothing else: what is none of them is the container's", async () => {
    for (const path of ["/stable-1/static/out/other.js", `${FILE}?x`, `/x${FILE}`]) {
      expect((await visitor.ask({ path, headers: FETCH })).body).toBe(`container ${path}`);
    }
    const { front, row } = visitor;
    front.world.ports.set(3000, visitor.echo.address);
    const cookie = `__Host-codehub_ws=${front.world.admit(row, visitor.sessionId, 3000)}`;
    const { host } = front.origins.workspace(row, 3000);
    expect((await front.ask({ host, path: FILE, headers: { cookie, ...FETCH } })).body).toBe(`container ${FILE}`);
    const posted = await visitor.ask({ path: FILE, method: "POST", headers: { ...FETCH, origin: visitor.origin } });
    expect(posted.body).toBe(`container ${FILE}`);
  });
});
