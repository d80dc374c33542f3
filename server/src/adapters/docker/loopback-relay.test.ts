import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = readFileSync(join(import.meta.dirname, "loopback-relay.cjs"), "utf8");
/** Another address of this machine stands for the container's own. */
const OUTSIDE = "127.0.0.2";

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, OUTSIDE).on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

test("the relay carries what comes to the outside address, once, and leaves when the program does", async () => {
  const program = createServer((socket) => void socket.on("error", () => undefined).pipe(socket));
  await once(program.listen(0, "127.0.0.1"), "listening");
  const { port } = program.address() as AddressInfo;
  // As the engine starts it: text behind `-e`. A second one finds the first, and is content.
  for (let i = 0; i < 2; i += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", PROGRAM, OUTSIDE, String(port)]);
    expect(stdout).toBe("ready\n");
  }
  const client = await dial(port);
  client.end("hello");
  expect(String((await once(client, "data"))[0])).toBe("hello");
  await once(client, "close");

  program.close();
  await once(program, "close");
  await once(await dial(port), "close");
  // Its last client was told; the relay itself is gone as soon as nobody listens there.
  await expect.poll(() => dial(port).then(() => "relayed", String), { timeout: 30_000 }).toContain("ECONNREFUSED");
}, 60_000);
