import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "#adapters/system/clock.ts";
import type { Logger } from "#ports/logger.ts";
import { clientsFor } from "#proxy/door/connection-limit.ts";
import { startVisitor, type Visitor } from "./visitor.ts";

test.each([
  [1_024, 384],
  [20_000, 7_500],
  [256, 64],
  [64, 1],
])("a process with %d descriptors serves %d clients", (descriptors, clients) => {
  expect(clientsFor(descriptors)).toBe(clients);
});

describe("more clients than allowed", () => {
  let visitor: Visitor;
  const lines: object[] = [];
  let later = 0;
  const none = () => undefined;
  const logger: Logger = {
    debug: none,
    info: none,
    warn: (fields) => void lines.push(fields),
    error: none,
    child: () => logger,
  };

  afterEach(() => visitor.stop());

  const answer = async (socket: Socket): Promise<string> => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    await once(socket, "close");
    return text;
  };

  test("are turned away, told in the log once a minute, and let in when there is room again", async () => {
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + later };
    visitor = await startVisitor({ maxConnections: 2, logger, clock });
    const { front } = visitor;
    const first = await front.socket();
    const second = await front.socket();
    for (let i = 0; i < 3; i += 1) expect(await answer(await front.socket())).toMatch(/^HTTP\/1\.1 503 /);
    expect(lines).toEqual([{ max: 2, turnedAway: 1 }]);
    later = 60_000;
    await answer(await front.socket());
    expect(lines.slice(1)).toEqual([{ max: 2, turnedAway: 3 }]);
    first.destroy();
    await expect.poll(() => front.ask({ path: "/" }).then((ok) => ok.status)).toBe(200);
    second.destroy();
  });
});

test("clients that are too many leave our own work the descriptors that it needs", async () => {
  const program = join(import.meta.dirname, "few-descriptors.ts");
  const child = spawn("sh", ["-c", 'ulimit -n 400 && exec "$0" "$1"', process.execPath, program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = Number(String((await once(child.stdout, "data"))[0]));
  const ask = "GET / HTTP/1.1\r\nHost: localhost:8000\r\n\r\n";
  const served = connect(port, "127.0.0.1");
  await once(served, "connect");
  served.write(ask);
  await once(served, "data");
  const crowd = await Promise.all(
    Array.from({ length: 600 }, async () => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    }),
  );
  served.write(ask);
  expect(String((await once(served, "data"))[0])).toMatch(/\r\n\r\n100$/);
  for (const socket of [served, ...crowd]) socket.destroy();
  child.kill();
  await once(child, "exit");
});
