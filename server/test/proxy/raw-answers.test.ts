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
