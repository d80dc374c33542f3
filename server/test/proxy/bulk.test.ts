import { createHash, type Hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

/** More than every buffer on the way holds together, so that each side waits for the other again and again. */
const BODY = randomBytes(24 * 1024 * 1024);
const DIGEST = digestOf(createHash("sha256").update(BODY));
const PAUSE_EVERY_BYTES = 1024 * 1024;

let visitor: Visitor;

beforeEach(async () => {
  visitor = await startVisitor();
});
afterEach(() => visitor.stop());

function digestOf(hash: Hash): string {
  return hash.digest("hex");
}

/** The digest of so many bytes of a stream, read with a rest after every megabyte. */
async function slowly(stream: Readable, bytes: number): Promise<string> {
  const hash = createHash("sha256");
  let read = 0;
  await new Promise<void>((done, fail) => {
    let restAt = PAUSE_EVERY_BYTES;
    stream.on("error", fail);
    stream.on("close", () => fail(new Error(`closed after ${read} bytes`)));
    stream.on("data", (chunk: Buffer) => {
      read += chunk.length;
      hash.update(chunk);
      if (read >= bytes) return done();
      if (read < restAt) return;
      restAt += PAUSE_EVERY_BYTES;
      stream.pause();
      setTimeout(() => stream.resume(), 5);
    });
  });
  return digestOf(hash);
}

async function download(): Promise<string> {
  const { host, cookie, front } = visitor;
  const req = request({ host: "127.0.0.1", port: front.port, headers: { host, cookie } }).end();
  const [res] = (await once(req, "response")) as [IncomingMessage];
  expect(res.statusCode).toBe(200);
  return slowly(res, BODY.length);
}

test.each([
  ["with its length", { "content-length": String(BODY.length) }],
  ["in chunks", {}],
])("a large answer, %s, reaches a slow reader as it was sent", async (_name, answer) => {
  visitor.echo.handler = (_req, res) => res.writeHead(200, answer).end(BODY);
  expect(await download()).toBe(DIGEST);
});

test.each([
  ["with its length", { "content-length": String(BODY.length) }],
  ["in chunks", {}],
])("a large upload, %s, reaches a slow container as it was sent", async (_name, headers) => {
  visitor.echo.handler = (req, res) => void slowly(req, BODY.length).then((digest) => res.end(digest));
  const { host, cookie, origin, front } = visitor;
  const options = {
    host: "127.0.0.1",
    port: front.port,
    method: "POST",
    headers: { host, cookie, origin, ...headers },
  };
  const req = request(options).end(BODY);
  const [res] = (await once(req, "response")) as [IncomingMessage];
  expect(String((await once(res, "data"))[0])).toBe(DIGEST);
});

test("a WebSocket carries large streams both ways at once to slow readers", async () => {
  let uploaded: Promise<string> | null = null;
  visitor.echo.onUpgrade = (_req, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    socket.once("data", () => socket.write(BODY));
    socket.on("end", () => socket.end());
    uploaded = slowly(socket, BODY.length);
  };
  const { host, cookie, origin, front } = visitor;
  const socket = await front.socket();
  socket.write(handshake(host, { Origin: origin, Cookie: cookie }));
  expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 101 /);
  socket.write(BODY);
  expect(await slowly(socket, BODY.length)).toBe(DIGEST);
  expect(await uploaded).toBe(DIGEST);
  socket.destroy();
});
