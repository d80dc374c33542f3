import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { closeServer } from "#proxy/door/close-server.ts";

/** Sends a request, says so by a number that the other thread can wait for while it does nothing else, and tells its answer. */
const CLIENT = `
const { workerData: { port, sent }, parentPort } = require("node:worker_threads");
const socket = require("node:net").connect(port, "127.0.0.1");
let answer = "";
socket.setEncoding("utf8").on("data", (text) => (answer += text));
socket.on("error", (error) => parentPort.postMessage(error.code)).on("end", () => parentPort.postMessage(answer.split("\\r\\n")[0]));
socket.on("connect", () =>
  socket.write("POST / HTTP/1.1\\r\\nHost: here\\r\\nConnection: close\\r\\nContent-Length: 0\\r\\n\\r\\n", () => {
    Atomics.store(sent, 0, 1);
    Atomics.notify(sent, 0);
  }),
);
`;

it("answers what had come, and was not taken yet, when it is told to close", async () => {
  const server = createServer((_, response) => void response.end("taken"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const client = new Worker(CLIENT, { eval: true, workerData: { port, sent } });
  const answer = once(client, "message");
  await once(client, "online");
  // Nothing is taken meanwhile: this thread stands still.
  expect(Atomics.wait(sent, 0, 0, 20_000)).not.toBe("timed-out");
  await closeServer(server);
  expect(await answer).toEqual(["HTTP/1.1 200 OK"]);
});
