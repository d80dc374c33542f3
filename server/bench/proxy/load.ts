import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import type { Subject } from "./peers.ts";

const CONNECTIONS = 64;

/** Requests a second with wrk: one thread, 64 connections, small bodies. */
export async function requestsPerSecond({ port, headers }: Subject, seconds: number): Promise<number> {
  const flags = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const args = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}`, ...flags, `http://127.0.0.1:${port}/`];
  const { stdout } = await promisify(execFile)("wrk", args);
  // An answer that only came late says something of the machine.
  if (/Non-2xx|Socket errors: (?!connect 0, read 0, write 0)/.test(stdout))
    throw new Error(`errors under load:\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

const FRAME_BYTES = 64 * 1024;
const IN_FLIGHT = 16;
const SOCKETS = 4;

/** One masked binary frame, as a browser sends it. */
function frame(): Buffer {
  const head = Buffer.from([0x82, 0x80 | 127, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
  head.writeUInt32BE(FRAME_BYTES, 6);
  return Buffer.concat([head, Buffer.alloc(FRAME_BYTES, 0x5a)]);
}

/** Megabytes a second that come back through an echo: a fixed amount is kept in flight on every socket. */
export async function echoedPerSecond(subject: Subject, totalBytes: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => openSocket(subject)));
  const begun = performance.now();
  await Promise.all(sockets.map((socket) => echo(socket, totalBytes / SOCKETS)));
  const seconds = (performance.now() - begun) / 1000;
  for (const socket of sockets) socket.destroy();
  return totalBytes / seconds / 1_000_000;
}

/** What comes back is compared with what was sent, byte by byte. */
function echo(socket: Socket, bytes: number): Promise<void> {
  const message = frame();
  const twice = Buffer.concat([message, message]);
  let sent = 0;
  let received = 0;
  const send = () => {
    while (sent < bytes && sent - received < IN_FLIGHT * message.length) {
      socket.write(message);
      sent += message.length;
    }
  };
  return new Promise((done, fail) => {
    socket.on("data", (chunk) => {
      for (let at = 0; at < chunk.length; at += message.length) {
        const part = chunk.subarray(at, at + message.length);
        const start = (received + at) % message.length;
        if (!part.equals(twice.subarray(start, start + part.length))) return fail(new Error("other bytes came back"));
      }
      received += chunk.length;
      if (received >= sent && sent >= bytes) done();
      else send();
      return undefined;
    });
    socket.on("error", fail);
    socket.on("close", () => fail(new Error("a socket closed")));
    send();
  });
}

/** A WebSocket that has been let in. */
export async function openSocket({ port, headers }: Subject): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const lines = {
    Host: "localhost",
    ...headers,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  socket.write(
    `GET /ws HTTP/1.1\r\n${Object.entries(lines)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n`,
  );
  const [answer] = await once(socket, "data");
  if (!String(answer).startsWith("HTTP/1.1 101 ")) throw new Error(`no upgrade: ${String(answer).slice(0, 200)}`);
  return socket;
}
