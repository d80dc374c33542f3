import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

let visitor: Visitor;

beforeEach(async () => {
  visitor = await startVisitor();
});
afterEach(() => visitor.stop());

const lines = (...parts: string[]): string => parts.join("\r\n");

/** The container answers with exactly these bytes. */
function answers(text: string): void {
  visitor.echo.handler = (req) => void req.socket.write(text, "latin1");
}

/** All that a client gets on a connection of its own, up to its end. */
const asked = (method = "GET"): Promise<string> =>
  visitor.front.raw(
    lines(`${method} / HTTP/1.1`, `Host: ${visitor.host}`, `Cookie: ${visitor.cookie}`, "Connection: close", "", ""),
  );

describe("an answer that has no body", () => {
  const framing = /^(?:content-length|transfer-encoding):/im;

  test.each([
    ["GET", "Content-Length: 0"],
    ["GET", "Content-Length: 5"],
    ["GET", "Transfer-Encoding: chunked"],
    ["GET", "Connection: content-length\r\ncontent-length: 0"],
    ["HEAD", "Content-Length: 5"],
  ])("204 to %s with %j says nothing of a length", async (method, header) => {
    answers(lines("HTTP/1.1 204 No Content", header, "X-Kept: 1", "", ""));
    const text = await asked(method);
    expect(text).toMatch(/^HTTP\/1\.1 204 No Content\r\n(?:.*\r\n)*X-Kept: 1\r\n(?:.*\r\n)*\r\n$/);
    expect(text).not.toMatch(framing);
  });

  test("304 keeps the length of what it speaks of, and no coding", async () => {
    answers(lines("HTTP/1.1 304 Not Modified", "Content-Length: 5", "", ""));
    expect(await asked()).toMatch(/^HTTP\/1\.1 304 (?:.*\r\n)*Content-Length: 5\r\n(?:.*\r\n)*\r\n$/);
    answers(lines("HTTP/1.1 304 Not Modified", "Transfer-Encoding: chunked", "", ""));
    expect(await asked()).not.toMatch(framing);
  });

  test("an agreed upgrade says nothing of a length", async () => {
    visitor.echo.onUpgrade = (_req, socket) => {
      socket.end(lines("HTTP/1.1 101 Switching Protocols", "Content-Length: 7", "X-Kept: 1", "", "stream."));
    };
    const socket = await visitor.front.socket();
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write(handshake(visitor.host, { Cookie: visitor.cookie, Origin: visitor.origin }));
    await once(socket, "end");
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1\.1 101 (?:.*\r\n)*X-Kept: 1\r\n(?:.*\r\n)*\r\nstream\.$/);
    expect(text).not.toMatch(framing);
  });
});

describe("trailers", () => {
  const KEPT = ["X-Sum: 1", "x-sum: 2", "X-SUM: 3", "Content-Digest: sha-256=:YQ==:", "Server-Timing: db;dur=1"];
  const fields = (text: string): string[] => text.split("\r\n").filter((line) => line !== "");
  const pairs = (raw: readonly string[]): string[] =>
    raw.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${raw[i + 1]}`] : []));

  test("of a request may not say what only its head may, and the others arrive in order", async () => {
    const forbidden = [
      "Host: evil.example",
      "Content-Type: text/html",
      "Connection: x-kept",
      "Keep-Alive: 1",
      "Proxy-Authorization: Basic x",
      "Proxy-Connection: close",
      "TE: trailers",
      "Trailer: x",
      "Upgrade: websocket",
      "HTTP2-Settings: x",
      "Expect: 100-continue",
      "Cookie: a=b",
      `cookie: ${visitor.cookie}`,
      "Authorization: Bearer codehub_secret",
      "Authorization: Basic YTpi",
      "Origin: http://evil.example",
      "Referer: http://evil.example/",
      "Forwarded: for=6.6.6.6",
      "X-Forwarded-For: 6.6.6.6",
      "x-forwarded-host: evil.example",
      "X-Real-IP: 6.6.6.6",
      "X-Codehub-User: admin",
      "Range: bytes=0-1",
      "If-Match: x",
      "Cache-Control: no-cache",
      "Sec-Fetch-Site: same-origin",
      "X-Hop: named by Connection",
    ];
    const [first = "", ...others] = KEPT;
    await visitor.front.raw(
      lines(
        "POST / HTTP/1.1",
        `Host: ${visitor.host}`,
        `Origin: ${visitor.origin}`,
        `Cookie: ${visitor.cookie}`,
        "Transfer-Encoding: chunked",
        "Connection: close, x-hop",
        "",
        "3",
        "abc",
        "0",
        first,
        ...forbidden,
        ...others,
        "",
        "",
      ),
    );
    expect(visitor.echo.seen.map(({ bytes, trailers }) => [bytes, pairs(trailers)])).toEqual([[3, KEPT]]);
  });

  test("of an answer may not say what only its head may, and the others arrive in order", async () => {
    const forbidden = [
      "Set-Cookie: a=b",
      "Location: http://localhost:8000/",
      "Refresh: 0;url=http://localhost:8000/",
      'Clear-Site-Data: "*"',
      "Alt-Svc: x",
      "NEL: {}",
      "Report-To: {}",
      "Reporting-Endpoints: a=b",
      "Strict-Transport-Security: max-age=1",
      "Service-Worker-Allowed: /",
      "Content-Length: 9",
      "Content-Type: text/html",
      "Content-Encoding: gzip",
      "Content-Range: bytes 0-1/2",
      "Content-Location: http://localhost:8000/",
      "Content-Security-Policy: default-src *",
      "Access-Control-Allow-Origin: *",
      "Cross-Origin-Opener-Policy: unsafe-none",
      "Transfer-Encoding: chunked",
      "Connection: x-kept",
      "Keep-Alive: 1",
      "Proxy-Authenticate: Basic",
      "WWW-Authenticate: Basic",
      "TE: trailers",
      "Trailer: x",
      "Upgrade: websocket",
      "Cache-Control: public",
      "Age: 1",
      "Vary: x",
      "X-Hop: named by Connection",
    ];
    const [first = "", ...others] = KEPT;
    const head = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: keep-alive, x-hop", "Trailer: x-sum"];
    answers(lines(...head, "", "3", "abc", "0", first, ...forbidden, ...others, "", ""));
    const [, end = ""] = (await asked()).split("\r\nabc\r\n0\r\n");
    expect(fields(end)).toEqual(KEPT);
  });

  test.each([
    ["GET", "HTTP/1.1 200 OK\r\nContent-Length: 2", "ok"],
    ["HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", ""],
    ["GET", "HTTP/1.1 204 No Content", ""],
    ["GET", "HTTP/1.1 304 Not Modified", ""],
  ])("that are announced where none can follow are no reason to refuse: %s, %j", async (method, head, body) => {
    answers(lines(head, "Trailer: x-sum", "", body));
    const text = await asked(method);
    expect(text.slice(0, 12)).toBe(head.slice(0, 12));
    expect(text).not.toContain("Trailer");
    expect(text.split("\r\n\r\n")[1]).toBe(body);
  });

  test("that are announced to a client that knows no chunks are left out", async () => {
    answers(
      lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Trailer: x-sum", "", "2", "ok", "0", "X-Sum: 1", "", ""),
    );
    const text = await visitor.front.raw(
      lines("GET / HTTP/1.0", `Host: ${visitor.host}`, `Cookie: ${visitor.cookie}`, "", ""),
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*\r\nok$/);
    expect(text).not.toMatch(/Trailer|X-Sum/);
  });
});

describe("answers before the answer", () => {
  const early = lines("HTTP/1.1 103 Early Hints", "Link: </a.css>; rel=preload", "", "");
  const final = lines("HTTP/1.1 200 OK", "Content-Length: 2", "", "ok");

  test("are left out, as many as a program has reason to send", async () => {
    answers(early.repeat(100) + final);
    expect(await asked()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*\r\nok$/);
  });

  test("without end are a bad gateway, and the connection to the container ends", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    visitor.echo.handler = (req) => {
      closed = new Promise((done) => req.socket.once("close", done));
      const more = () => {
        while (!req.socket.destroyed && req.socket.write(early));
      };
      req.socket.on("drain", more).on("error", () => undefined);
      more();
    };
    expect(await asked()).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    await closed;
  });
});

describe("a container's connection", () => {
  const NO_BREAK_SPACE = "\u00a0";

  test.each([
    ["is used again", 1, []],
    ["is used again", 1, ["Connection: keep-alive"]],
    ["is used again", 1, [`Connection: close${NO_BREAK_SPACE}`]],
    ["is used again", 1, [`Connection: ${NO_BREAK_SPACE}close`]],
    ["is used again", 1, ["Connection: closed, not-close"]],
    ["is used again", 1, ["Proxy-Connection: close"]],
    ["is not used again", 2, ["Connection: close"]],
    ["is not used again", 2, ["Connection: \tCLOSE \t"]],
    ["is not used again", 2, ["Connection: keep-alive ,\tclose\t,x"]],
    ["is not used again", 2, ["Connection: keep-alive", "connection: close"]],
    ["is not used again", 2, ["Connection: close", "Connection: keep-alive"]],
    ["is not used again", 2, ["Connection: x-a", "Connection: x-b", "Connection: close"]],
  ])("%s (%i) after %j", async (_name, connections, headers) => {
    answers(lines("HTTP/1.1 200 OK", ...headers, "X-A: 1", "X-B: 1", "Content-Length: 2", "", "ok"));
    const text = await asked();
    expect(text).toMatch(/\r\n\r\nok$/);
    const hidden = headers.some((header) => header.includes("x-a"));
    expect([text.includes("X-A"), text.includes("X-B")]).toEqual([!hidden, !hidden]);
    await asked();
    expect(visitor.echo.connections).toBe(connections);
  });
});
