import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { programName } from "#adapters/runtime-parts/program-name.ts";
import { hostOf, ListeningPorts } from "./listening-port.ts";
import { identify, type ProcessIdentity } from "./proc.ts";

const uid = process.getuid?.() ?? 0;

async function listen(): Promise<{ port: number; close: () => Promise<unknown> }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, close: () => once(server.close(), "close") };
}

async function membersAre(...pids: number[]): Promise<readonly ProcessIdentity[]> {
  return (await Promise.all(pids.map(identify))).filter((one) => one !== null);
}

it("finds a port of the process that listens on it, and not of another one or of another account", async () => {
  const { port, close } = await listen();
  const mine = { kind: "tcp", host: "127.0.0.1", port, listener: expect.stringMatching(/^\d+$/) };
  const find = (owner: number | null, ...pids: number[]) =>
    new ListeningPorts().find({ id: "a", uid: owner }, port, () => membersAre(...pids));
  expect(await find(uid, process.ppid, process.pid)).toEqual(mine);
  expect(await find(null, process.pid)).toEqual(mine);
  expect(await find(uid, process.ppid)).toBeNull();
  expect(await find(uid + 1, process.pid)).toBeNull();
  await close();
});

it("lists the ports of the processes it is asked about, with their programs", async () => {
  const { port, close } = await listen();
  const all = async (owner: number | null, ...pids: number[]) =>
    (await new ListeningPorts().all(owner, await membersAre(...pids))).filter((one) => one.port === port);
  const program = programName(await readFile("/proc/self/cmdline", "utf8"));
  expect(await all(uid, process.pid)).toEqual([{ port, program }]);
  expect(await all(null, process.pid)).toEqual([{ port, program }]);
  expect(await all(uid, process.ppid)).toEqual([]);
  expect(await all(uid + 1, process.pid)).toEqual([]);
  await close();
  expect(await all(uid, process.pid)).toEqual([]);
});

it("looks at the container's processes once for a socket, and again when another one listens there", async () => {
  const ports = new ListeningPorts();
  const { port, close } = await listen();
  let looks = 0;
  const find = (id: string, ...pids: number[]) =>
    ports.find({ id, uid }, port, () => {
      looks += 1;
      return membersAre(...pids);
    });
  const first = await find("a", process.pid);
  expect(await find("a", process.pid)).toEqual(first);
  expect(looks).toBe(1);
  // What is known of one container is not believed of another.
  expect(await find("b", process.ppid)).toBeNull();
  expect(looks).toBe(2);
  await close();
  expect(await find("a", process.pid)).toBeNull();
  const again = createServer().listen(port, "127.0.0.1");
  await once(again, "listening");
  const second = await find("a", process.pid);
  expect(second).toMatchObject({ port, listener: expect.not.stringMatching(String(first?.listener)) });
  expect(await find("a", process.ppid)).toEqual(second);
  again.close();
});

it("reaches a socket on every address where nobody else can answer for it", () => {
  const all6 = { inode: "1", uid: 1, host: "::1", everywhere: true, port: 80 };
  const only6 = { inode: "2", uid: 1, host: "::1", everywhere: false, port: 80 };
  const other4 = { inode: "3", uid: 2, host: "127.0.0.1", everywhere: false, port: 80 };
  expect(hostOf(all6, [all6, other4], true)).toBe("::1");
  expect(hostOf(all6, [all6], false)).toBe("127.0.0.1");
  expect(hostOf(all6, [all6, { ...other4, port: 81 }], false)).toBe("127.0.0.1");
  expect(hostOf(all6, [all6, other4], false)).toBeNull();
  expect(hostOf(only6, [only6], false)).toBe("::1");
});
