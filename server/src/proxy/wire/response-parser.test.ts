import { afterEach, describe, expect, test, vi } from "vitest";
import { BadResponse, ResponseParser } from "./response-parser.ts";

afterEach(() => vi.restoreAllMocks());

/** How many bytes are taken from memory and how many are looked through while `run` runs. */
function workOf(run: () => void): { allocated: number; searched: number } {
  const work = { allocated: 0, searched: 0 };
  for (const name of ["concat", "alloc", "allocUnsafe", "allocUnsafeSlow"] as const) {
    const original = Buffer[name] as (...args: unknown[]) => Buffer;
    vi.spyOn(Buffer, name).mockImplementation((...args: unknown[]) => {
      const made = original.apply(Buffer, args);
      work.allocated += made.length;
      return made as never;
    });
  }
  const indexOf = Buffer.prototype.indexOf as (...args: unknown[]) => number;
  vi.spyOn(Buffer.prototype, "indexOf").mockImplementation(function (this: Buffer, ...args: unknown[]) {
    work.searched += this.length - (typeof args[1] === "number" ? args[1] : 0);
    return indexOf.apply(this, args);
  });
  run();
  vi.restoreAllMocks();
  return work;
}

const SILENT = { onHead: () => undefined, onBody: () => undefined, onEnd: () => undefined };
const LONG = `X: ${"x".repeat(60_000)}\r\n\r\n`;

describe("a response that comes byte by byte costs no more than a few times its length", () => {
  test.each([
    ["its head", `HTTP/1.1 204 No Content\r\n${LONG}`],
    ["its trailers", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${LONG}`],
  ])("in %s", (_name, text) => {
    const parser = new ResponseParser(SILENT, false);
    const bytes = Buffer.from(text, "latin1");
    const work = workOf(() => {
      for (let i = 0; i < bytes.length; i += 1) parser.feed(bytes.subarray(i, i + 1));
    });
    expect(parser.done).toBe(true);
    expect(work.allocated).toBeLessThan(8 * bytes.length);
    expect(work.searched).toBeLessThan(8 * bytes.length);
  });
});

test("bytes that were handed on are not written to again", () => {
  const bodies: Buffer[] = [];
  const parser = new ResponseParser({ ...SILENT, onBody: (chunk) => bodies.push(chunk) }, false);
  const text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
  for (let i = 0; i < text.length; i += 5) parser.feed(Buffer.from(text.slice(i, i + 5)));
  expect(Buffer.concat(bodies).toString()).toBe("abcdefg");
});

test.each([64 * 1024 + 1, 1024 * 1024])("a head of %i bytes is refused, in one piece and in many", (size) => {
  const text = `HTTP/1.1 200 OK\r\nX: ${"x".repeat(size)}\r\n\r\n`;
  for (const step of [size * 2, 4096]) {
    const parser = new ResponseParser(SILENT, false);
    expect(() => {
      for (let i = 0; i < text.length; i += step) parser.feed(Buffer.from(text.slice(i, i + step)));
    }).toThrow(BadResponse);
  }
});

test.each([
  [
    "a 1xx that ends the connection",
    "HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
  ],
  ["a 1xx of HTTP/1.0", "HTTP/1.0 102 Processing\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"],
  ...["1 ;x", "1\t;x", "1;", "1;;x", "1;x=", '1;x="', "1 "].map((size) => [
    `the chunk size ${JSON.stringify(size)}`,
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\na\r\n0\r\n\r\n`,
  ]),
])("%s is refused", (_name, text = "") => {
  expect(() => new ResponseParser(SILENT, false).feed(Buffer.from(text))).toThrow(BadResponse);
});

test.each(["1", "01", "1;x", "1;x=y;z", '1;x="y; \\"z"'])("the chunk size %j is understood", (size) => {
  const parser = new ResponseParser(SILENT, false);
  parser.feed(Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\na\r\n0\r\n\r\n`));
  expect([parser.done, parser.reusable]).toEqual([true, true]);
});
