import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#adapters/system/clock.ts";
import { Flood } from "./flood.ts";
import { listenOn } from "./harness.ts";
import type { Seen } from "./upstream-server.ts";
import { startVisitor, type Visitor } from "./visitor.ts";

let visitor: Visitor;

beforeEach(async () => {
  visitor = await startVisitor();
});
afterEach(() => visitor.stop());

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  visitor.ask({ method: "POST", path: "/upload", headers: { origin: visitor.origin, ...headers }, body });

describe("requests", () => {
  test("arrive as they were sent, without anything of ours and with our own word about the host", async () => {
    const answer = await visitor.ask({
      path: "/a%2Fb/../c?q=%20&x=1",
      headers: {
        cookie: [`theme=dark; ${visitor.cookie}; codehub_state=x`, `__Secure-Codehub=1; b=2;${visitor.dashboard}`].join(
          "; ",
        ),
        "x-forwarded-for": "6.6.6.6",
        "x-forwarded-host": "evil",
        forwarded: "for=6.6.6.6",
        "x-real-ip": "6.6.6.6",
        "x-codehub-user": "admin",
        authorization: "Bearer codehub_secretsecretsecretsecret",
        "proxy-authorization": "Basic x",
        te: "trailers",
        connection: "keep-alive, x-hop",
        "x-hop": "1",
        "x-kept": "yes",
      },
    });
    const seen: Seen = JSON.parse(answer.body);
    expect(seen.url).toBe("/a%2Fb/../c?q=%20&x=1");
    const lines = Object.fromEntries(
      seen.headers.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), seen.headers[i + 1]]] : [])),
    );
    expect(lines).toEqual({
      host: visitor.host,
      cookie: "theme=dark; b=2",
      "x-kept": "yes",
      "x-forwarded-host": visitor.host,
      "x-forwarded-proto": "http",
      connection: undefined,
    });
  });

  test("an authorization that is not ours is the program's own", async () => {
    const answer = await visitor.ask({ headers: { authorization: "Basic YTpi" } });
    expect(answer.body).toContain("Basic YTpi");
  });

  test.each(["length", "chunked"])("a body of 20 MB is carried with %s framing and arrives whole", async (framing) => {
    const body = randomBytes(20 * 1024 * 1024);
    const hash = createHash("sha256").update(body).digest("hex");
    visitor.echo.handler = (req, res) => {
      const digest = createHash("sha256");
      req.on("data", (chunk: Buffer) => digest.update(chunk));
      req.on("end", () => res.end(digest.digest("hex")));
    };
    const answer = await post(body, framing === "chunked" ? { "transfer-encoding": "chunked" } : {});
    expect(answer.body).toBe(hash);
  });

  test("trailers are carried both ways, except those that would speak for the head", async () => {
    visitor.echo.handler = (req, res) => {
      req.resume();
      req.on("end", () => {
        res.setHeader("trailer", "x-sum");
        res.write("body");
        res.addTrailers({ "x-sum": String(req.trailers["x-in"]), "set-cookie": `seen=${"cookie" in req.trailers}` });
        res.end();
      });
    };
    const socket = await visitor.front.socket();
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write(
      `POST / HTTP/1.1\r\nHost: ${visitor.host}\r\nOrigin: ${visitor.origin}\r\nCookie: ${visitor.cookie}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\nx-in: 7\r\ncookie: x\r\n\r\n`,
    );
    await once(socket, "close");
    expect(text).toContain("x-sum: 7");
    expect(text.toLowerCase()).not.toContain("seen=");
  });

  test("Expect: 100-continue is answered only after the request was let in", async () => {
    const send = (cookie: string) =>
      new Promise<string>((done) => {
        const req = request({
          host: "127.0.0.1",
          port: visitor.front.port,
          method: "POST",
          headers: { host: visitor.host, origin: visitor.origin, cookie, expect: "100-continue", "content-length": 4 },
        });
        req.on("continue", () => req.end("body"));
        req.on("response", (res) => {
          res.resume();
          done(String(res.statusCode));
          req.destroy();
        });
        req.on("error", () => undefined);
        req.flushHeaders();
      });
    expect(await send(visitor.cookie)).toBe("200");
    expect(visitor.echo.seen.at(-1)?.bytes).toBe(4);
    expect(await send("none=1")).toBe("401");
    expect(visitor.echo.seen).toHaveLength(1);
  });
});

describe("bytes that only look like blanks", () => {
  /** The last byte of à in UTF-8 is a no-break space to whoever takes bytes for characters. */
  const A_GRAVE = Buffer.from("\u00e0").toString("latin1");
  const NO_BREAK_SPACE = "\u00a0";

  test("stay at the ends of header values and cookies, in both directions", async () => {
    visitor.echo.handler = (req, res) => {
      res.writeHead(200, ["X-Out", `\t ${A_GRAVE} \t`, "X-In", String(req.headers["x-in"])]);
      res.end(JSON.stringify(req.headers.cookie));
    };
    const { headers, body } = await visitor.ask({
      headers: { cookie: `a=${A_GRAVE}; ${visitor.cookie}; b=${A_GRAVE}`, "x-in": A_GRAVE },
    });
    expect([headers["x-out"], headers["x-in"]]).toEqual([A_GRAVE, A_GRAVE]);
    expect(JSON.parse(body)).toBe(`a=${A_GRAVE}; b=${A_GRAVE}`);
  });

  test.each([
    ["before its name", () => NO_BREAK_SPACE + visitor.cookie],
    ["behind its name", () => visitor.cookie.replace("=", `${NO_BREAK_SPACE}=`)],
    ["before its value", () => visitor.cookie.replace("=", `=${NO_BREAK_SPACE}`)],
    ["behind its value", () => visitor.cookie + NO_BREAK_SPACE],
  ])("%s make a cookie another one than ours", async (_name, cookie) => {
    expect((await visitor.ask({ headers: { cookie: cookie() } })).status).toBe(401);
    const beside = await visitor.ask({ headers: { cookie: `${cookie()}; ${visitor.cookie}` } });
    expect(beside.status, "not ambiguous").toBe(_name.endsWith("name") ? 200 : 400);
  });

  test.each(["\u000b", "\u000c", "\u001c"])("and control characters like %j end a response", async (control) => {
    visitor.echo.handler = (req) => {
      req.socket.end(`HTTP/1.1 200 OK\r\nX: a${control}\r\nContent-Length: 0\r\n\r\n`, "latin1");
    };
    expect((await visitor.ask({})).status).toBe(502);
  });
});

describe("responses", () => {
  test("stream: the head and each event arrive before the next is sent", async () => {
    const steps: (() => void)[] = [];
    visitor.echo.handler = (_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.flushHeaders();
      steps.push(
        () => res.write("data: 1\n\n"),
        () => res.end("data: 2\n\n"),
      );
    };
    const req = request({
      host: "127.0.0.1",
      port: visitor.front.port,
      headers: { host: visitor.host, cookie: visitor.cookie },
    }).end();
    const [res] = await once(req, "response");
    steps[0]?.();
    const [first] = await once(res, "data");
    expect(String(first)).toBe("data: 1\n\n");
    steps[1]?.();
    const [second] = await once(res, "data");
    expect(String(second)).toBe("data: 2\n\n");
  });

  test("a reader that stops reading stops the container, and gets everything in the end", async () => {
    const flood = new Flood();
    visitor.echo.handler = (_req, res) => flood.into(res);
    const socket = await visitor.front.socket();
    socket.pause();
    socket.write(`GET / HTTP/1.1\r\nHost: ${visitor.host}\r\nCookie: ${visitor.cookie}\r\nConnection: close\r\n\r\n`);
    await flood.stalled;
    expect(flood.sent).toBeLessThan(Flood.BYTES);
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await once(socket, "close");
    expect(received).toBeGreaterThan(Flood.BYTES);
  });

  test("cookies for other hosts or with our names, and headers that outlive the response, stay behind", async () => {
    visitor.echo.handler = (_req, res) => {
      res.writeHead(
        200,
        [
          ["Set-Cookie", "ok=1; Path=/; HttpOnly"],
          ["Set-Cookie", "__Host-codehub_ws=evil; Path=/; Secure"],
          ["Set-Cookie", "CODEHUB=evil"],
          ["Set-Cookie", " __Host-Http-codehub=evil"],
          ["Set-Cookie", "a=b; Domain=localhost"],
          ["Set-Cookie", "a=b; domain"],
          ["Set-Cookie", "=codehub_ws=x"],
          ["Clear-Site-Data", '"*"'],
          ["Alt-Svc", 'h2="evil:443"'],
          ["NEL", "{}"],
          ["Report-To", "{}"],
          ["Reporting-Endpoints", "a=b"],
          ["Strict-Transport-Security", "max-age=1"],
          ["Keep-Alive", "timeout=5"],
          ["Connection", "x-internal, keep-alive"],
          ["X-Internal", "1"],
          ["X-Frame-Options", "DENY"],
        ].flat(),
      );
      res.end("ok");
    };
    const { headers } = await visitor.ask({});
    expect(headers["set-cookie"]).toEqual(["ok=1; Path=/; HttpOnly"]);
    for (const name of [
      "clear-site-data",
      "alt-svc",
      "nel",
      "report-to",
      "reporting-endpoints",
      "strict-transport-security",
      "x-internal",
    ])
      expect(headers).not.toHaveProperty(name);
    expect(headers["x-frame-options"]).toBe("DENY");
  });

  const OTHER = "99999999-9999-4999-8999-999999999999";
  /** As a program sends it: the bytes of its UTF-8. */
  const bytesOf = (text: string) =>
    Buffer.from(text.replace("ID", visitor.name).replace("OTHER", OTHER)).toString("latin1");

  test.each([
    "/next",
    "next?x=http://localhost:8000/",
    "https://example.org/",
    "https://example.org/\u00e4",
    "https://localhost/",
    "http://localhost:3000/callback",
    "http://localhost.example.org:8000/",
    "http://3000--ID.localhost:8000/",
    "http://ID.localhost:8000/x",
  ])("a redirect to %j is passed on", async (to) => {
    const sent = bytesOf(to);
    visitor.echo.handler = (_req, res) => res.writeHead(302, ["Location", sent]).end();
    const answer = await visitor.ask({ headers: { accept: "text/html" } });
    expect([answer.status, answer.headers.location]).toEqual([302, sent]);
  });

  const OURS = [
    "http://localhost:8000/w/x/",
    "//localhost:8000/",
    "\\\\localhost:8000/",
    "/\\localhost:8000/",
    "http:\\\\localhost:8000/",
    "http://localhost:8000",
    "https://localhost:8000/",
    "HTTP://LOCALHOST:8000/",
    "http://%6cocalhost:8000/",
    "http://user:pass@localhost:8000/",
    "http://localhost.:8000/",
    "http://local\thost:8000/",
    "http://\uff4cocalhost:8000/",
    "http://%ef%bd%8cocalhost:8000/",
    "//\uff2c\uff2f\uff23\uff21\uff2c\uff28\uff2f\uff33\uff34:8000/",
    "http://OTHER.localhost:8000/",
    "http://OTHER\u3002localhost:8000/",
    "http://OTHER\uff0elocalhost:8000/",
    "http://3000--OTHER.localhost:8000/",
    "http://probe.localhost:8000/",
    "http://[",
  ];

  test.each([
    ...OURS.flatMap((to) => [
      ["Location", to],
      ["Location", `\t ${to}`],
      ["Refresh", `0;url=${to}`],
      ["Refresh", `5 , URL = "${to}"x`],
      ["Refresh", `0; ${to}`],
      ["Refresh", `0 ${to}`],
      ["Refresh", `.5;'${to}' `],
    ]),
    ["Content-Location", "http://localhost:8000/"],
  ])("%s: %j never reaches the browser", async (name = "", to = "") => {
    visitor.echo.handler = (_req, res) => res.writeHead(302, [name, bytesOf(to)]).end();
    const answer = await visitor.ask({ headers: { accept: "text/html" } });
    expect([answer.status, answer.headers[name.toLowerCase()]]).toEqual([502, undefined]);
  });

  test.each([
    "5",
    "0; url=/next",
    "0;https://example.org/",
    "0;url='http://ID.localhost:8000/?q=;url=//localhost:8000'",
  ])("Refresh: %j is passed on", async (value) => {
    visitor.echo.handler = (_req, res) => res.writeHead(200, ["Refresh", bytesOf(value)]).end();
    expect((await visitor.ask({})).headers["refresh"]).toBe(bytesOf(value));
  });

  test.each([204, 304])("%i has no body and leaves the connection usable", async (status) => {
    visitor.echo.handler = (_req, res) => {
      res.writeHead(status, { etag: '"1"' });
      res.end();
    };
    expect((await visitor.ask({})).status).toBe(status);
    expect((await visitor.ask({})).status).toBe(status);
    expect(visitor.echo.connections).toBe(1);
  });

  test("HEAD keeps the length and sends no body", async () => {
    visitor.echo.handler = (_req, res) => {
      res.setHeader("content-length", 12345);
      res.end();
    };
    const answer = await visitor.ask({ method: "HEAD" });
    expect([answer.headers["content-length"], answer.body]).toEqual(["12345", ""]);
  });
});

describe("connections", () => {
  test("are kept and used again, and a request on one that just closed is sent once more", async () => {
    for (let i = 0; i < 5; i += 1) await visitor.ask({});
    expect(visitor.echo.connections).toBe(1);
    // The container closes its idle connection behind our back, at the very moment of the next request.
    visitor.echo.handler = (req, res) => {
      req.socket.destroy();
      visitor.echo.handler = null;
      void res;
    };
    expect((await visitor.ask({ path: "/again" })).status).toBe(200);
    expect(visitor.echo.connections).toBe(2);
  });

  test("a POST never meets a used connection and is never sent twice", async () => {
    await visitor.ask({});
    let posts = 0;
    visitor.echo.handler = (req) => {
      posts += 1;
      req.socket.destroy();
    };
    expect((await post("x")).status).toBe(502);
    expect(posts).toBe(1);
  });

  test("a client that goes away takes its request to the container with it", async () => {
    const gone = new Promise<void>((done) => {
      visitor.echo.handler = (req) => void req.once("close", done);
    });
    const socket = await visitor.front.socket();
    socket.write(`GET / HTTP/1.1\r\nHost: ${visitor.host}\r\nCookie: ${visitor.cookie}\r\n\r\n`);
    await expect.poll(() => visitor.front.proxy.openStreams).toBe(1);
    socket.destroy();
    await gone;
    await expect.poll(() => visitor.front.proxy.openStreams).toBe(0);
  });

  test("another instance of the container gets connections of its own", async () => {
    await visitor.ask({});
    const endpoint = { containerId: "other", attempt: "other", address: visitor.echo.address };
    visitor.front.world.patch(visitor.row.id, { endpoint });
    visitor.front.proxy.workspaceChanged(visitor.row.id);
    await visitor.ask({});
    expect(visitor.echo.connections).toBe(2);
  });

  test("a unix socket serves as well as a port", async () => {
    const directory = await mkdtemp(join(tmpdir(), "codehub-proxy-"));
    const other = await startVisitor({}, join(directory, "ide.sock"));
    expect((await other.ask({ path: "/unix" })).body).toContain("/unix");
    await other.stop();
    await rm(directory, { recursive: true });
  });

  test("nothing that listens is a page for a person and a short answer for a script", async () => {
    await visitor.echo.stop();
    const script = await visitor.ask({});
    expect([script.status, script.headers["retry-after"]]).toEqual([502, "3"]);
    const page = await visitor.ask({ headers: { accept: "text/html" } });
    expect(page.body).toContain("does not answer");
  });

  test("a container that does not speak HTTP properly is cut off and answered for", async () => {
    const replies = [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: a\nSet-Cookie: codehub=1\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\n X: folded\r\n\r\n",
      "HTTP/2 200\r\n\r\n",
      "SSH-2.0-OpenSSH_9\r\n\r\n",
      `HTTP/1.1 200 OK\r\nX: ${"a".repeat(70_000)}\r\n\r\n`,
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    ];
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(replies[0] ?? ""));
    });
    const port = await listenOn(server as never);
    visitor.front.world.patch(visitor.row.id, {
      endpoint: { containerId: "c", attempt: "a", address: { kind: "tcp", host: "127.0.0.1", port } },
    });
    visitor.front.proxy.workspaceChanged(visitor.row.id);
    while (replies.length > 0) {
      expect((await visitor.ask({})).status, replies[0]?.slice(0, 80)).toBe(502);
      replies.shift();
    }
    server.close();
  });
});

describe("several requests on one connection", () => {
  const simple = (path: string, ...headers: string[]) =>
    [`GET ${path} HTTP/1.1`, `Host: ${visitor.host}`, `Cookie: ${visitor.cookie}`, ...headers, "", ""].join("\r\n");

  /** Sends each text after the answer to the one before has come, on one connection, and returns all answers. */
  async function converse(...texts: string[]): Promise<string[]> {
    const socket = await visitor.front.socket();
    const answers: string[] = [];
    for (const text of texts) {
      socket.write(text);
      let answer = "";
      while (!/\r\n\r\n.*(?:\}|0\r\n\r\n|\.)$/s.test(answer)) answer += String((await once(socket, "data"))[0]);
      answers.push(answer);
    }
    socket.destroy();
    return answers;
  }

  test("arrive one by one, with and without a body, and nothing is lost", async () => {
    const body = `POST /posted HTTP/1.1\r\nHost: ${visitor.host}\r\nOrigin: ${visitor.origin}\r\nCookie: ${visitor.cookie}\r\nContent-Length: 3\r\n\r\nabc`;
    const answers = await converse(simple("/one"), simple("/two"), body, simple("/three"));
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(Array(4).fill("HTTP/1.1 200"));
    expect(visitor.echo.seen.map(({ url, bytes }) => `${url} ${bytes}`)).toEqual([
      "/one 0",
      "/two 0",
      "/posted 3",
      "/three 0",
    ]);
  });

  test("are each read for themselves: nothing is believed from the request before", async () => {
    const asked = ["/a", "/b?c=1"].map((path) => simple(path, "X-Kept: 1"));
    const answers = await converse(...asked, simple("/d", "X-Kept: 2"), simple("/e", "X-Kept: 2"));
    const kept = visitor.echo.seen.map(({ url, headers }) => `${url} ${headers[headers.indexOf("X-Kept") + 1]}`);
    expect(kept).toEqual(["/a 1", "/b?c=1 1", "/d 2", "/e 2"]);
    expect(answers).toHaveLength(4);
    const stranger = visitor.cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const [mine = "", theirs = ""] = await converse(simple("/f"), simple("/f").replace(visitor.cookie, stranger));
    expect([mine.slice(0, 12), theirs.slice(0, 12)]).toEqual(["HTTP/1.1 200", "HTTP/1.1 401"]);
  });

  test("are asked anew whether the session still lives, also behind the same headers", async () => {
    const socket = await visitor.front.socket();
    const answerOf = async (): Promise<string> => {
      socket.write(simple("/again"));
      return String((await once(socket, "data"))[0]).slice(0, 12);
    };
    expect([await answerOf(), await answerOf()]).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    visitor.front.world.logout(visitor.sessionId);
    visitor.front.proxy.sessionsChanged();
    expect(await answerOf()).toBe("HTTP/1.1 401");
    socket.destroy();
  });

  test("do not hide that a port cannot be looked up any more: that is a 502", async () => {
    await visitor.stop();
    let later = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + later };
    visitor = await startVisitor({ clock });
    const { front, row, sessionId, echo } = visitor;
    front.world.ports.set(3000, echo.address);
    const { host } = front.origins.workspace(row, 3000);
    const cookie = `__Host-codehub_ws=${front.world.admit(row, sessionId, 3000)}`;
    const ask = `GET / HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`;
    expect((await converse(ask))[0]).toContain("200 OK");
    // Session and row are still believed from memory, and what was known of the port is not.
    later = 3_000;
    front.world.engineDown = true;
    expect((await converse(ask))[0]).toContain("502 Bad Gateway");
  });

  test("follow the same rules: headers, cookies, sessions, chunks", async () => {
    await visitor.ask({ path: "/warm" });
    visitor.echo.handler = (req, res) => {
      res.writeHead(200, [
        "Set-Cookie",
        "codehub_ws=evil",
        "Set-Cookie",
        "ok=1",
        "Alt-Svc",
        "x",
        "Content-Type",
        "text/plain",
      ]);
      res.write(`${req.rawHeaders.join("|")}.`);
      res.end();
    };
    const [answer = ""] = await converse(simple("/", "X-Forwarded-For: 6.6.6.6", "X-Kept: 1"));
    expect(answer).toContain("Transfer-Encoding: chunked");
    expect(answer).toContain("Set-Cookie: ok=1");
    expect(answer).not.toMatch(/evil|Alt-Svc|6\.6\.6\.6|codehub_ws/);
    expect(answer).toContain("X-Kept|1");
    visitor.front.world.logout(visitor.sessionId);
    visitor.front.proxy.sessionsChanged();
    const [refused = ""] = await converse(simple("/"));
    expect(refused).toMatch(/^HTTP\/1\.1 401 /);
  });

  test("wait for their turn behind one that is under way", async () => {
    let release = () => undefined as unknown;
    visitor.echo.handler = (_req, res) => {
      visitor.echo.handler = null;
      release = () => res.end("first.");
    };
    await visitor.front.ask({ host: visitor.host, path: "/warm", headers: { cookie: "none=1" } });
    const socket = await visitor.front.socket();
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write(simple("/a"));
    await expect.poll(() => visitor.echo.handler).toBeNull();
    socket.write(simple("/b", "Connection: close"));
    release();
    await once(socket, "close");
    expect(text.indexOf("first.")).toBeGreaterThan(0);
    expect(text.indexOf("/b")).toBeGreaterThan(text.indexOf("first."));
  });
});
