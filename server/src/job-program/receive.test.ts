import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pass } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openPipe } from "./pipes.ts";
import { receive } from "./receive.ts";

const SILENCE_MS = 300;
/** More than a pipe and the sockets of both sides hold, so that the store has to wait for the reader. */
const BYTES = Buffer.alloc(24 * 2 ** 20, "0123456789");
const FACTS = { sha256: createHash("sha256").update(BYTES).digest("hex"), sizeBytes: BYTES.length };

async function storeThat(answers: RequestListener): Promise<string> {
  const server = createServer(answers).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/object`;
}

const wholeFrom: RequestListener = (request, response) => {
  const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
  response.writeHead(from > 0 ? 206 : 200, { "content-length": BYTES.length - from });
  response.end(BYTES.subarray(from));
};

it("waits for a disk for as long as that takes: only a store that says nothing is away", async () => {
  let asked = 0;
  const address = await storeThat((request, response) => {
    asked++;
    wholeFrom(request, response);
  });
  const { readEnd, writeEnd } = openPipe();
  const receiving = receive(address, null, FACTS, writeEnd, SILENCE_MS);
  await pass(4 * SILENCE_MS);
  const read = await buffer(createReadStream("", { fd: readEnd }));
  await receiving;
  expect(read.equals(BYTES)).toBe(true);
  expect(asked).toBe(1);
});

it("asks again when the store goes silent, and counts anew whenever it got on", async () => {
  let asked = 0;
  const address = await storeThat((request, response) => {
    asked++;
    if (asked > 8) return wholeFrom(request, response);
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { "content-length": BYTES.length - from });
    // And nothing more.
    response.write(BYTES.subarray(from, from + 1000));
  });
  const { readEnd, writeEnd } = openPipe();
  const receiving = receive(address, null, FACTS, writeEnd, SILENCE_MS);
  const reading = buffer(createReadStream("", { fd: readEnd }));
  await receiving;
  expect((await reading).equals(BYTES)).toBe(true);
  expect(asked).toBe(9);
}, 60_000);
