import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startVisitor, type Visitor } from "./visitor.ts";

let visitor: Visitor;
let before: number;

beforeAll(async () => {
  visitor = await startVisitor();
});
afterAll(() => visitor.stop());
beforeEach(() => {
  before = visitor.echo.seen.length;
});

const arrived = () => visitor.echo.seen.length - before;
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
const get = (line: string, ...headers: string[]) =>
  [line, `Host: ${visitor.host}`, `Cookie: ${visitor.cookie}`, ...headers, "Connection: close", "", ""].join("\r\n");

describe("targets on a workspace's origin", () => {
  test.each([
    "GET http://evil.example/ HTTP/1.1",
    "GET http://localhost:8000/w/x/ HTTP/1.1",
    "GET * HTTP/1.1",
    "GET evil.example:80 HTTP/1.1",
    "GET @evil.example/ HTTP/1.1",
    "GET /a\\b HTTP/1.1",
    "GET \\\\evil.example\\ HTTP/1.1",
    "GET /a#b HTTP/1.1",
    "GET /a b HTTP/1.1",
    "GET /\u0000 HTTP/1.1",
    "GET /caf\u00e9 HTTP/1.1",
    "CONNECT evil.example:443 HTTP/1.1",
    "OPTIONS * HTTP/1.1",
  ])("%j never reaches the container", async (line) => {
    const answer = await visitor.front.raw(Buffer.from(get(line), "latin1"));
    expect(arrived()).toBe(0);
    expect(statuses(answer).every((status) => status >= 400)).toBe(true);
  });

  test.each([
    "/test@evil.example/path",
    "/%40evil",
    "//evil.example/x",
    "/..;/x",
    "/a/../../b",
    "/[::1]",
    "/%2e%2e/",
    "/%5c",
  ])("%j is a path of the workspace and nothing else", async (path) => {
    const answer = await visitor.front.raw(get(`GET ${path} HTTP/1.1`));
    expect(statuses(answer)).toEqual([200]);
    expect(visitor.echo.seen.at(-1)?.url).toBe(path);
  });

  test("what is ours under /.codehub/ is never the container's", async () => {
    for (const path of ["/.codehub/auth", "/.codehub/", "/.codehub/x?y"]) {
      await visitor.front.raw(get(`GET ${path} HTTP/1.1`));
    }
    expect(arrived()).toBe(0);
  });
});

describe("requests that mean two things", () => {
  test.each([
    ["length and chunks", "POST / HTTP/1.1", ["Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1", ["Content-Length: 4", "Content-Length: 5"], "abcde"],
    ["a list of lengths", "POST / HTTP/1.1", ["Content-Length: 4, 5"], "abcde"],
    ["a signed length", "POST / HTTP/1.1", ["Content-Length: +4"], "abcd"],
    ["an unknown coding", "POST / HTTP/1.1", ["Transfer-Encoding: xchunked"], "0\r\n\r\n"],
    ["a coding twice", "POST / HTTP/1.1", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["chunked not last", "POST / HTTP/1.1", ["Transfer-Encoding: chunked, identity"], "0\r\n\r\n"],
    ["a space before the colon", "POST / HTTP/1.1", ["Content-Length : 4"], "abcd"],
    ["a folded header", "GET / HTTP/1.1", ["X: a", " b"], ""],
    ["two hosts", "GET / HTTP/1.1", ["Host: evil.example"], ""],
    ["Connection that names Cookie", "GET / HTTP/1.1", ["Connection: cookie, x-codehub-user"], ""],
    [
      "Connection that names the length",
      "POST / HTTP/1.1",
      ["Connection: content-length", "Content-Length: 4"],
      "abcd",
    ],
    ["a chunk size that is not one", "POST / HTTP/1.1", ["Transfer-Encoding: chunked"], "4x\r\nabcd\r\n0\r\n\r\n"],
    ["a version from the future", "GET / HTTP/3.0", [], ""],
    ["no version", "GET /", [], ""],
  ])("%s: refused, and nothing of it is read as the next request", async (_name, line, headers, body) => {
    const text = [
      line,
      `Host: ${visitor.host}`,
      `Origin: ${visitor.origin}`,
      `Cookie: ${visitor.cookie}`,
      ...headers,
      "",
      body,
    ].join("\r\n");
    const smuggled = get("GET /smuggled HTTP/1.1");
    const answer = await visitor.front.raw(`${text}\r\n${smuggled}`);
    expect(statuses(answer)[0]).toBeGreaterThanOrEqual(400);
    expect(visitor.echo.seen.slice(before).map(({ url }) => url)).not.toContain("/smuggled");
  });

  test("a coding that we would have to undo is refused", async () => {
    const coded = get("POST / HTTP/1.1", `Origin: ${visitor.origin}`, "Transfer-Encoding: gzip, chunked");
    expect(statuses(await visitor.front.raw(`${coded}0\r\n\r\n`))).toEqual([400]);
    expect(arrived()).toBe(0);
  });

  test("bare line feeds are refused", async () => {
    const answer = await visitor.front.raw(get("GET / HTTP/1.1").replaceAll("\r\n", "\n"));
    expect(statuses(answer)[0] ?? 400).toBe(400);
    expect(arrived()).toBe(0);
  });

  test("two requests in one packet are two requests, each let in by itself", async () => {
    const one = `GET /one HTTP/1.1\r\nHost: ${visitor.host}\r\nCookie: ${visitor.cookie}\r\n\r\n`;
    const two = `GET /two HTTP/1.1\r\nHost: ${visitor.host}\r\nConnection: close\r\n\r\n`;
    const answer = await visitor.front.raw(one + two);
    expect(statuses(answer)).toEqual([200, 401]);
    expect(visitor.echo.seen.slice(before).map(({ url }) => url)).toEqual(["/one"]);
  });
});

describe("two hosts in one request", () => {
  const lines = (target: string, first: string, second: string, ...more: string[]) =>
    [`GET ${target} HTTP/1.1`, `Host: ${first}`, `hOST: ${second}`, ...more, "Connection: close", "", ""].join("\r\n");
  const HOSTS = ["localhost:8000", "ID.localhost:8000", "probe.localhost:8000", "evil.example"];
  const pairs = HOSTS.flatMap((first) => HOSTS.map((second) => [first, second] as const));

  test.each(pairs)("%s and %s are refused", async (first, second) => {
    for (const target of ["/", "/healthz", "/api/v1/auth/session", `/w/${visitor.row.id}/`, "/.codehub/state"]) {
      const text = lines(target, first, second, `Cookie: ${visitor.cookie}`).replaceAll("ID", visitor.name);
      expect(statuses(await visitor.front.raw(text)), target).toEqual([400]);
    }
    const upgrade = ["Upgrade: websocket", `Origin: ${visitor.origin}`, `Cookie: ${visitor.cookie}`];
    const text = lines("/", first, second, ...upgrade).replaceAll("ID", visitor.name);
    expect(statuses(await visitor.front.raw(text.replace("close", "Upgrade")))).toEqual([400]);
    expect(arrived()).toBe(0);
  });
});

describe("hosts", () => {
  test.each([
    "evil.example",
    "localhost",
    "localhost:8001",
    "127.0.0.1:8000",
    "[::1]:8000",
    "LOCALHOST:8000",
    "localhost:8000.evil.example",
    "xlocalhost:8000",
    "x.localhost:8000",
    "ID.localhost",
    "ID.localhost:8000.",
    "ID.localhost.:8000",
    "a.ID.localhost:8000",
    "ID.ws.localhost:8000",
    "0--ID.localhost:8000",
    "65536--ID.localhost:8000",
    "080--ID.localhost:8000",
    "80-ID.localhost:8000",
    "ID.localhost:8000@evil.example",
    "user@ID.localhost:8000",
    "",
  ])("%j is nobody's here", async (pattern) => {
    const host = pattern.replace("ID", visitor.name);
    const answer = await visitor.front.raw(
      `GET / HTTP/1.1\r\nHost: ${host}\r\nCookie: ${visitor.cookie}\r\nConnection: close\r\n\r\n`,
    );
    expect(statuses(answer)[0]).toSatisfy((status: number) => status === 421 || status === 400);
    expect(arrived()).toBe(0);
  });

  test("a request without a host is refused, and a health check needs none that is ours", async () => {
    expect(statuses(await visitor.front.raw("GET / HTTP/1.1\r\n\r\n"))).toEqual([400]);
    const health = await visitor.front.raw("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    expect(statuses(health)).toEqual([200]);
  });

  test("the probe answers the dashboard and no other page", async () => {
    const answer = await visitor.front.ask({ host: "probe.localhost:8000", path: "/.codehub/probe" });
    expect(answer.status).toBe(200);
    expect(answer.headers["access-control-allow-origin"]).toBe("http://localhost:8000");
  });
});

describe("what other pages cause", () => {
  test.each([
    ["POST without Origin", "POST", {}],
    ["POST from the dashboard", "POST", { origin: "http://localhost:8000" }],
    ["POST with a null Origin", "POST", { origin: "null" }],
    ["DELETE from a stranger", "DELETE", { origin: "http://evil.example" }],
    [
      "a script of another site",
      "GET",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
    ],
    [
      "a fetch of the same site",
      "GET",
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
    ],
    [
      "a frame in another page",
      "GET",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    ],
  ])("%s is refused", async (_name, method, headers) => {
    const answer = await visitor.ask({ method, headers: headers as Record<string, string> });
    expect(answer.status).toBe(403);
    expect(arrived()).toBe(0);
  });

  test("a link on another page may open the workspace", async () => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await visitor.ask({ headers })).status).toBe(200);
  });
});

describe("two cookies of one name", () => {
  test.each(["__Host-codehub_ws=a; COOKIE", "COOKIE;COOKIE", "COOKIE; x=1;  __Host-codehub_ws=b"])(
    "%j is refused and cleared",
    async (pattern) => {
      const answer = await visitor.front.ask({
        host: visitor.host,
        headers: { cookie: pattern.replaceAll("COOKIE", visitor.cookie) },
      });
      expect(answer.status).toBe(400);
      expect(answer.headers["clear-site-data"]).toBe('"cookies"');
      expect(arrived()).toBe(0);
    },
  );

  test("at the door too", async () => {
    const cookie = `${visitor.dashboard}; ${visitor.dashboard}x`;
    const answer = await visitor.front.ask({ path: `/w/${visitor.row.id}/`, headers: { cookie } });
    expect([answer.status, answer.headers["clear-site-data"]]).toEqual([400, '"cookies"']);
  });
});

describe("the door", () => {
  test.each([
    "/w/ID/../OTHER/",
    "/w/ID/%2e%2e/OTHER/",
    "/w/ID%2f",
    "/w//ID/",
    "/w/ID;/",
    "/w/ID\\",
    "/w/ID/x",
    "/w/ID%00/",
    "/w/IDx/",
    "/w/",
    "/w/ID/.codehub/",
    "/W/ID/",
  ])("%j opens nothing", async (pattern) => {
    const path = pattern.replace("ID", visitor.name).replace("OTHER", "99999999-9999-4999-8999-999999999999");
    const answer = await visitor.front.raw(
      `GET ${path} HTTP/1.1\r\nHost: localhost:8000\r\nCookie: ${visitor.dashboard}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).not.toContain(".localhost:8000/.codehub/auth");
    expect(answer).not.toMatch(/^Location: /m);
    expect(arrived()).toBe(0);
  });
});

test("an upload that brings next to nothing is ended, and one that brings something is not", async () => {
  const slow = await visitor.front.socket();
  const closed = new Promise((done) => slow.once("close", done));
  slow.on("error", () => undefined).resume();
  slow.write(
    `POST / HTTP/1.1\r\nHost: ${visitor.host}\r\nOrigin: ${visitor.origin}\r\nCookie: ${visitor.cookie}\r\nContent-Length: 100000\r\n\r\nab`,
  );
  await expect.poll(() => visitor.front.proxy.openStreams).toBe(1);
  visitor.front.proxy.lookAtUploads();
  slow.write("c");
  visitor.front.proxy.lookAtUploads();
  await closed;
});
