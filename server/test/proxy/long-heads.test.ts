import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

let visitor: Visitor;

beforeAll(async () => {
  visitor = await startVisitor();
});
afterAll(() => visitor.stop());
beforeEach(() => {
  expect(visitor.echo.seen).toHaveLength(0);
});

const head = (...lines: string[]) => [...lines, "Connection: close", "", ""].join("\r\n");
const cookie = (bytes: number) => `Cookie: ${visitor.cookie}; a=${"x".repeat(bytes)}`;
const host = (name: string) => `Host: ${name.replace("ID", visitor.name)}`;

/** The first is read to its end before it is refused; the second is more than the parser takes at all. */
const SIZES = [40_000, 70_000];

describe.each(SIZES)("a head of %d bytes", (bytes) => {
  test.each(["ID.localhost:8000", "3000--ID.localhost:8000"])(
    "full of cookies of %s lets that origin recover",
    async (name) => {
      const answer = await visitor.front.raw(head("GET / HTTP/1.1", host(name), cookie(bytes)));
      expect(answer).toMatch(/^HTTP\/1\.1 431 /);
      expect(answer).toContain('Clear-Site-Data: "cookies"');
    },
  );

  test.each([
    ["cookies of the dashboard", () => head("GET / HTTP/1.1", host("localhost:8000"), cookie(bytes))],
    ["cookies of nobody's host", () => head("GET / HTTP/1.1", host("evil.example"), cookie(bytes))],
    [
      "cookies of two hosts",
      () => head("GET / HTTP/1.1", host("ID.localhost:8000"), host("localhost:8000"), cookie(bytes)),
    ],
    ["cookies without a host", () => head("GET / HTTP/1.1", cookie(bytes))],
    [
      "something other than cookies",
      () => head("GET / HTTP/1.1", host("ID.localhost:8000"), cookie(100), `X: ${"x".repeat(bytes)}`),
    ],
    ["a long address", () => head(`GET /${"x".repeat(bytes)} HTTP/1.1`, host("ID.localhost:8000"), cookie(100))],
  ])("because of %s is refused, and nobody is signed out", async (_name, bytesOf) => {
    const answer = await visitor.front.raw(bytesOf());
    expect(answer).toMatch(/^HTTP\/1\.1 4(?:31|00|21) /);
    expect(answer).not.toMatch(/clear-site-data/i);
  });
});

test("a long address beside a few cookies is not the cookies' fault", async () => {
  const line = `GET /${"x".repeat(31_000)} HTTP/1.1`;
  const answer = await visitor.front.raw(head(line, host("ID.localhost:8000"), cookie(4_000)));
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(answer).not.toMatch(/clear-site-data/i);
});

test.each([
  ["comes behind what was too long", () => head("GET / HTTP/1.1", cookie(70_000), host("ID.localhost:8000"))],
  ["is cut", () => head("GET / HTTP/1.1", cookie(65_436 - visitor.name.length), host("ID.localhost:8000"))],
])("where the host %s nothing is cleared, and the answer says what to do", async (_name, bytes) => {
  const answer = await visitor.front.raw(bytes());
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(answer).not.toMatch(/clear-site-data/i);
  expect(answer).toContain("clear the cookies");
});

test("what was said on the same connection before says nothing about the host", async () => {
  const socket = await visitor.front.socket();
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write("GET / HTTP/1.1\r\nHost: localhost:8000\r\n\r\n");
  await once(socket, "data");
  socket.write(head("GET / HTTP/1.1", host("ID.localhost:8000"), cookie(70_000)));
  await once(socket, "close");
  expect(text).toContain("HTTP/1.1 431 ");
  expect(text).not.toMatch(/clear-site-data/i);
});

test("an upgrade with a head that is too long is refused", async () => {
  const bytes = handshake(visitor.host, { Origin: visitor.origin, Cookie: `a=${"x".repeat(40_000)}` });
  expect(await visitor.front.raw(bytes)).toMatch(/^HTTP\/1\.1 431 /);
});
