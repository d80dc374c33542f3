import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Flood } from "./flood.ts";
import type { Answer, Ask } from "./harness.ts";
import { startVisitor, type Visitor } from "./visitor.ts";

const TAG = '<script src="/.codehub/tab.js" defer></script>';
const PAGE = "<!doctype html><html><head><title>IDE</title></head><body>ü</body></html>";
const TAGGED = PAGE.replace("<head>", `<head>${TAG}`);
const HTML = { "content-type": "text/html; charset=utf-8" };
const NAVIGATION = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

let visitor: Visitor;

beforeEach(async () => {
  visitor = await startVisitor();
});
afterEach(() => visitor.stop());

function serves(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer = PAGE): void {
  visitor.echo.handler = (_req, res) => res.writeHead(status, headers).end(body);
}

/** As a browser asks that loads a page in a tab. */
const visit = (ask: Ask = {}): Promise<Answer> => visitor.ask({ ...ask, headers: { ...NAVIGATION, ...ask.headers } });

/** The answer to a page load, with its body still to be read. */
async function begun(): Promise<IncomingMessage> {
  const { host, cookie, front } = visitor;
  const req = request({ host: "127.0.0.1", port: front.port, headers: { host, cookie, ...NAVIGATION }, agent: false });
  const [res] = (await once(req.end(), "response")) as [IncomingMessage];
  return res;
}

describe("the IDE's page", () => {
  test("gets one script right behind its head, whether its length is said or not", async () => {
    serves(200, { ...HTML, "content-length": String(Buffer.byteLength(PAGE)) });
    const withLength = await visit();
    serves(200, HTML);
    const inChunks = await visit();
    for (const answer of [withLength, inChunks]) {
      expect(answer.body).toBe(TAGGED);
      expect(answer.headers["content-length"]).toBeUndefined();
      expect(answer.headers["transfer-encoding"]).toBe("chunked");
    }
  });

  test.each([
    ["in capitals", "<HTML><HEAD><TITLE>", "<HTML><HEAD>", "<TITLE>"],
    ["with attributes", '<head lang="en" data-rule="a > b">x', '<head lang="en" data-rule="a > b">', "x"],
    ["behind what only looks like it", "<header><<head\n>x", "<header><<head\n>", "x"],
  ])("has its head found %s", async (_name, page, before, after) => {
    serves(200, HTML, page);
    expect((await visit()).body).toBe(before + TAG + after);
  });

  test("has its head found wherever the network cut it", async () => {
    for (let cut = 1; cut < 30; cut += 1) {
      visitor.echo.handler = (_req, res) => {
        res.writeHead(200, HTML).write(PAGE.slice(0, cut), () => res.end(PAGE.slice(cut)));
      };
      expect((await visit()).body).toBe(TAGGED);
    }
  });

  test("passes as it is when it has no head near its beginning", async () => {
    for (const page of ["<p>hello", "", `${" ".repeat(20_000)}<head>`]) {
      serves(200, HTML, page);
      expect((await visit()).body).toBe(page);
    }
  });

  test("shows what has come of it before the rest is there", async () => {
    const beginning = "<!doctype html>";
    let finish: () => void = () => undefined;
    visitor.echo.handler = (_req, res) => {
      res.writeHead(200, HTML).write(beginning);
      finish = () => res.end(PAGE.slice(beginning.length));
    };
    const res = await begun();
    const [first] = (await once(res, "data")) as [Buffer];
    expect(String(first)).toBe(beginning);
    finish();
    let rest = "";
    for await (const chunk of res) rest += chunk;
    expect(beginning + rest).toBe(TAGGED);
  });

  test("is asked for uncompressed, and passes untouched when it comes compressed anyway", async () => {
    const packed = gzipSync(PAGE);
    let accepted: string | undefined;
    visitor.echo.handler = (req, res) => {
      accepted = req.headers["accept-encoding"]?.toString();
      res.writeHead(200, { ...HTML, "content-encoding": "gzip", "content-length": packed.length }).end(packed);
    };
    const answer = await visit({ headers: { "accept-encoding": "gzip, br" } });
    expect(accepted).toBe("identity");
    expect(answer.headers["content-length"]).toBe(String(packed.length));
    expect(answer.body).toBe(String(packed));
  });

  test.each([
    ["a file to keep", 200, { ...HTML, "content-disposition": 'attachment; filename="a.html"' }],
    ["one that must not be changed on its way", 200, { ...HTML, "cache-control": "public, no-transform" }],
    ["a part of it", 206, { ...HTML, "content-range": "bytes 0-72/900", "accept-ranges": "bytes", etag: '"one"' }],
    ["an error", 404, HTML],
    ["something else than HTML", 200, { "content-type": "text/plain" }],
    ["something that says nothing of itself", 200, {}],
  ])("passes untouched as %s", async (_name, status, headers) => {
    const length = String(Buffer.byteLength(PAGE));
    serves(status, { ...headers, "content-length": length });
    const answer = await visit();
    expect(answer).toMatchObject({ status, body: PAGE });
    expect(answer.headers).toMatchObject({ ...headers, "content-length": length });
  });

  test("passes untouched when a page fetches it, or when it is on another port", async () => {
    serves(200, HTML);
    expect((await visitor.ask({ headers: { "sec-fetch-mode": "cors" } })).body).toBe(PAGE);
    const { front, row, sessionId } = visitor;
    front.world.ports.set(3000, visitor.echo.address);
    const cookie = `__Host-codehub_ws=${front.world.admit(row, sessionId, 3000)}`;
    const { host } = front.origins.workspace(row, 3000);
    expect((await front.ask({ host, headers: { ...NAVIGATION, cookie } })).body).toBe(PAGE);
  });
});

describe("what a head says of a page that was changed", () => {
  const said = {
    ...HTML,
    "content-length": String(Buffer.byteLength(PAGE)),
    etag: '"one"',
    "accept-ranges": "bytes",
    "content-digest": "sha-256=:AAAA:",
    "repr-digest": "sha-256=:AAAA:",
    "last-modified": "Tue, 17 Nov 2026 00:00:00 GMT",
  };
  const only = ({ headers }: Answer) =>
    Object.fromEntries(Object.keys(said).map((name) => [name, headers[name]] as const));
  const changed = {
    ...Object.fromEntries(Object.keys(said).map((name) => [name, undefined])),
    ...HTML,
    etag: 'W/"one"',
    "last-modified": said["last-modified"],
  };

  test("is true of it: no length, no digest, no parts, and a name that says it is not the same to the byte", async () => {
    serves(200, said);
    expect(only(await visit())).toEqual(changed);
    serves(200, { ...said, etag: 'W/"two"' });
    expect((await visit()).headers.etag).toBe('W/"two"');
  });

  test("is the same for HEAD", async () => {
    serves(200, said);
    const answer = await visit({ method: "HEAD" });
    expect(only(answer)).toEqual(changed);
    expect(answer.body).toBe("");
  });

  test("is not taken back by a 304", async () => {
    serves(304, { etag: '"one"', "accept-ranges": "bytes", "content-length": "70", "x-kept": "1" }, "");
    const { status, headers } = await visit({ headers: { "if-none-match": 'W/"one"' } });
    expect(status).toBe(304);
    expect(headers).toMatchObject({ etag: 'W/"one"', "x-kept": "1" });
    expect(headers).not.toHaveProperty("accept-ranges");
    expect(headers).not.toHaveProperty("content-length");
  });

  test("has its trailers behind it, without those that tell of the bytes", async () => {
    visitor.echo.handler = (_req, res) => {
      res.writeHead(200, { ...HTML, trailer: "X-Time, Content-Digest" });
      res.write(PAGE);
      res.addTrailers({ "X-Time": "5", "Content-Digest": "sha-256=:AAAA:", ETag: '"one"' });
      res.end();
    };
    const { body, trailers } = await visit();
    expect(body).toBe(TAGGED);
    expect(trailers).toEqual({ "x-time": "5" });
  });
});

describe("a page on its way", () => {
  test("that ends half way ends half way for the client too", async () => {
    let cut: () => void = () => undefined;
    visitor.echo.handler = (_req, res) => {
      res.writeHead(200, { ...HTML, "content-length": "100000" }).write(PAGE);
      cut = () => void res.socket?.destroy();
    };
    const res = await begun();
    const [first] = (await once(res, "data")) as [Buffer];
    expect(String(first)).toBe(TAGGED);
    cut();
    const [error] = await once(res, "error");
    expect(error).toMatchObject({ code: "ECONNRESET" });
  });

  test("waits for a client that reads slowly, and arrives whole", async () => {
    const flood = new Flood();
    visitor.echo.handler = (_req, res) => {
      res.writeHead(200, HTML).write("<head>");
      flood.into(res);
    };
    const res = await begun();
    await flood.stalled;
    expect(flood.sent).toBeLessThan(Flood.BYTES);
    let bytes = 0;
    for await (const chunk of res) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(Flood.BYTES + "<head>".length + TAG.length);
  });

  test("leaves the next request on the same connection alone", async () => {
    serves(200, HTML);
    const { front, host, cookie } = visitor;
    const ask = (mode: string, last: string) =>
      `GET / HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nSec-Fetch-Mode: ${mode}\r\n${last}\r\n`;
    const text = await front.raw(ask("navigate", "") + ask("cors", "Connection: close\r\n"));
    expect(text.split(TAG)).toHaveLength(2);
    expect(text.split("<title>IDE</title>")).toHaveLength(3);
    expect(text.indexOf(TAG)).toBeLessThan(text.indexOf("</html>"));
  });
});
