import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JobChannel } from "#jobs/job-channel.ts";
import { JobSockets } from "./job-sockets.ts";

let directory: string;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "chsock-")), "jobs");
});
afterEach(async () => {
  await rm(join(directory, ".."), { recursive: true, force: true });
});

async function open(): Promise<JobChannel> {
  const channel = await new JobSockets(directory).open();
  if (channel === null) throw new Error("there is no socket");
  return channel;
}
async function connectTo(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true });
  await once(socket, "connect");
  return socket;
}
const socketOf = (channel: JobChannel): string =>
  channel.variable.value.replace(channel.mount.target, channel.mount.source);

test("bytes go both ways, and each way ends by itself", async () => {
  const channel = await open();
  const job = await connectTo(socketOf(channel));
  const { input, output } = await channel.take();
  input?.end("to the job");
  expect(await text(job)).toBe("to the job");
  job.end("from the job");
  expect(await text(output)).toBe("from the job");
  await channel.close();
});

test("only the first connection counts, and after it there is nothing left to connect to", async () => {
  const channel = await open();
  const path = socketOf(channel);
  const [first, second] = [connect(path), connect(path)];
  first.end("first");
  // Accepted and ended, or not accepted any more.
  const closed = new Promise((resolve) => second.on("error", () => {}).on("close", resolve));
  const { output } = await channel.take();
  expect(await text(output)).toBe("first");
  await closed;
  await channel.close();
  expect(await readdir(directory)).toEqual([]);
  const third = connect(path);
  expect(await once(third, "error")).toMatchObject([{ code: "ENOENT" }]);
});

test("nobody but its owner may enter, and every job has a folder of its own that cannot be guessed", async () => {
  const channels = [await open(), await open()];
  const folders = channels.map(({ mount }) => mount.source);
  expect(new Set(folders).size).toBe(2);
  for (const folder of [directory, ...folders]) expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const folder of folders) expect(folder).toMatch(/\/[0-9a-f]{32}$/);
  for (const channel of channels) await channel.close();
});

test("a job that never connects is told, and nothing stays behind", async () => {
  const channel = await open();
  const told = expect(channel.take()).rejects.toThrow("no connection came");
  await channel.close();
  await told;
  expect(await readdir(directory)).toEqual([]);
});

test("a connection that nobody asked for is ended", async () => {
  const channel = await open();
  const job = await connectTo(socketOf(channel));
  job.resume();
  const ended = once(job, "end");
  await channel.close();
  await ended;
  job.destroy();
});

test("what a killed server left is taken away when it is old, and only then", async () => {
  const [old, young] = [join(directory, "old"), join(directory, "young")];
  for (const folder of [old, young]) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "socket"), "");
  }
  const longAgo = (await stat(old)).mtimeMs / 1000 - 3600;
  await utimes(old, longAgo, longAgo);
  const channel = await open();
  await channel.close();
  expect(await readdir(directory)).toEqual(["young"]);
});

test("a place where no socket can be made is given up, once and with a word in the log", async () => {
  const told: object[] = [];
  const logger = { info: (fields: object) => told.push(fields) };
  const sockets = new JobSockets(join(directory, "x".repeat(100)), logger as never);
  expect(await sockets.open()).toBeNull();
  expect(await sockets.open()).toBeNull();
  expect(told).toHaveLength(1);
});
