import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type JobRequest,
  jobArguments,
  PROTOCOL_VARIABLE,
  PROTOCOL_VERSION,
  SOCKET_VARIABLE,
} from "#job-program/protocol.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("#job-program/storage/main.ts"));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chgreet-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function start(request: JobRequest, variables: Record<string, string>): ChildProcess {
  const env = { PATH: process.env["PATH"] ?? "", ...variables };
  return spawn(process.execPath, [PROGRAM, ...jobArguments(request)], { stdio: ["ignore", "pipe", "pipe"], env });
}

async function ending(job: ChildProcess): Promise<{ output: Buffer; reports: object[]; code: unknown }> {
  const exit = once(job, "exit");
  const [output, said] = await Promise.all([buffer(job.stdout as Readable), text(job.stderr as Readable)]);
  const reports = said.split("\n").filter((line) => line !== "");
  return { output, reports: reports.map((line) => JSON.parse(line)), code: (await exit)[0] };
}

const isTar = (archive: Buffer) => zstdDecompressSync(archive).length === 10_240;

test("greets first, with its protocol and the way of its bytes", async () => {
  const { output, reports, code } = await ending(start({ kind: "pack-empty" }, {}));
  expect(reports[0]).toEqual({ greeting: { protocol: PROTOCOL_VERSION, bytes: "streams" } });
  expect([code, isTar(output)]).toEqual([0, true]);
});

test("writes to the socket that it is given, to the end, and nothing to stdout", async () => {
  const path = join(folder, "socket");
  const server = createServer({ allowHalfOpen: true }).listen(path);
  await once(server, "listening");
  const connected = once(server, "connection");
  const job = ending(start({ kind: "pack-empty" }, { [SOCKET_VARIABLE]: path }));
  const [socket] = (await connected) as [Socket];
  const sent = await buffer(socket);
  const { output, reports, code } = await job;
  expect(reports[0]).toEqual({ greeting: { protocol: PROTOCOL_VERSION, bytes: "socket" } });
  expect([code, output.length, isTar(sent)]).toEqual([0, 0, true]);
  socket.destroy();
  server.close();
});

test("uses its streams where it does not reach the socket, and says why", async () => {
  const { output, reports } = await ending(start({ kind: "pack-empty" }, { [SOCKET_VARIABLE]: join(folder, "none") }));
  const because = expect.stringContaining("ENOENT");
  expect(reports[0]).toEqual({ greeting: { protocol: PROTOCOL_VERSION, bytes: "streams", because } });
  expect(isTar(output)).toBe(true);
});

test("does nothing for a server of another protocol", async () => {
  const { output, reports, code } = await ending(start({ kind: "pack-empty" }, { [PROTOCOL_VARIABLE]: "99" }));
  expect(reports).toMatchObject([
    { greeting: { protocol: PROTOCOL_VERSION } },
    { failure: { reason: "ActionFailed", message: expect.stringContaining("protocol 99") } },
  ]);
  expect([code, output.length]).toEqual([1, 0]);
});
