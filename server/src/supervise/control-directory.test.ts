import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { controlSocket } from "./control-directory.ts";

let place = "";

beforeAll(async () => {
  place = await mkdtemp(path.join(tmpdir(), "codehub-control-test-"));
});
afterAll(async () => {
  await rm(place, { recursive: true, force: true });
});

const modeOf = async (directory: string): Promise<string> => ((await stat(directory)).mode & 0o777).toString(8);

test("only the socket's own directory is closed to others, also where it is the first thing below a new data directory", async () => {
  const dataDir = path.join(place, "lib", "codehub");
  const socket = await controlSocket(dataDir, 8000);
  expect(socket).toBe(path.join(dataDir, "control", "socket-8000"));
  expect(await modeOf(path.dirname(socket))).toBe("700");
  expect(await modeOf(dataDir)).toBe("755");
  expect(await modeOf(path.dirname(dataDir))).toBe("755");
});

test("a data directory that somebody closed stays as it is", async () => {
  const dataDir = path.join(place, "closed");
  await controlSocket(dataDir, 8000);
  await chmod(dataDir, 0o700);
  await controlSocket(dataDir, 8000);
  expect(await modeOf(dataDir)).toBe("700");
});

test("a path that is too long for a socket gets a directory among the temporary files", async () => {
  const dataDir = path.join(place, "long".repeat(25));
  const socket = await controlSocket(dataDir, 8000);
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(107);
  expect(await modeOf(path.dirname(socket))).toBe("700");
  await rm(path.dirname(socket), { recursive: true });
});
