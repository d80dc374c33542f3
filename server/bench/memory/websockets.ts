import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { openSocket } from "../proxy/load.ts";
import { startNode, startOurs } from "../proxy/peers.ts";
import { shareOf } from "../shared/pss.ts";

const REST_MS = 15_000;
/** The first of all make buffers and compile what later ones use too. */
const WARM = 100;
/** A masked text frame of two letters, as a browser sends it. */
const FRAME = Buffer.from([0x81, 0x82, 1, 2, 3, 4, 0x68 ^ 1, 0x69 ^ 2]);

/** What our proxy takes for each of so many WebSockets through which nothing goes any more. */
export async function kilobytesPerWebSocket(count: number): Promise<number> {
  const processes: ChildProcess[] = [];
  const sockets: Socket[] = [];
  try {
    const port = Number(await startNode(processes, ["backend.ts"]));
    const ours = await startOurs(processes, "ours", { kind: "tcp", host: "127.0.0.1", port });
    const proxy = processes.at(-1)?.pid ?? 0;
    const openMore = async (more: number) => {
      for (let index = 0; index < more; index += 1) {
        const socket = await openSocket(ours);
        sockets.push(socket);
        socket.write(FRAME);
        const [echo] = await once(socket, "data");
        if (!FRAME.equals(echo)) throw new Error("other bytes came back");
      }
      await delay(REST_MS);
      return (await shareOf(proxy)).pssMb;
    };
    const before = await openMore(WARM);
    const after = await openMore(count);
    return ((after - before) * 1000) / count;
  } finally {
    for (const socket of sockets) socket.destroy();
    for (const child of processes) child.kill();
  }
}
