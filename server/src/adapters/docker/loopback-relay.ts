import { readFileSync } from "node:fs";
import type { Engine } from "./engine.ts";
import { execute } from "./exec.ts";

/** What it calls itself, as relayed programs are found by others (loopback-relay.cjs). */
export const RELAY_NAME = "codehub-relay";
const RELAY: string = readFileSync(new URL("./loopback-relay.cjs", import.meta.url), "utf8");

/** False when it could not be started: an image need not have Node. */
export async function relayLoopback(engine: Engine, containerId: string, host: string, port: number): Promise<boolean> {
  const said = await execute(engine, containerId, ["node", "-e", RELAY, host, String(port)]);
  return said.trim() === "ready";
}
