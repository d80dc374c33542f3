import type { Engine } from "./engine.ts";
import { execute } from "./exec.ts";

/**
 * Many programs listen on their own loopback only, which ends at the container. This one runs beside them, as the same
 * user, listens on the container's address at the same port and passes every connection on. It leaves when the program
 * does, or when nobody has come for a while.
 *
 * Started by `node -e` it starts itself once more, detached, and ends when that one listens: what runs in the foreground
 * of an exec would end with the connection to the engine.
 */
const RELAY = `
const net = require("node:net");
const { spawn } = require("node:child_process");
const IDLE_MS = 600_000;
const [host, port] = process.argv.slice(1);
if (process.send === undefined) {
  const stdio = ["ignore", "ignore", "ignore", "ipc"];
  const relay = spawn(process.execPath, [...process.execArgv, host, port], { detached: true, stdio });
  relay.once("message", (word) => { console.log(word); process.exit(); });
  relay.once("exit", () => process.exit(1));
} else {
  let open = 0;
  let idle = setTimeout(() => process.exit(), IDLE_MS);
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = net.connect({ host: "localhost", port: Number(port), allowHalfOpen: true, noDelay: true });
    open += 1;
    clearTimeout(idle);
    client.pipe(target).pipe(client);
    const end = () => { client.destroy(); target.destroy(); };
    client.on("error", end);
    target.on("error", (error) => {
      end();
      if (/ECONNREFUSED/.test(String(error.code) + String(error.errors?.map((one) => one.code)))) server.close();
    });
    client.on("close", () => {
      open -= 1;
      if (open > 0) return;
      if (!server.listening) process.exit();
      idle = setTimeout(() => process.exit(), IDLE_MS);
    });
  });
  const ready = () => { process.send("ready"); process.disconnect(); };
  server.on("error", (error) => (error.code === "EADDRINUSE" ? process.send("ready", () => process.exit()) : process.exit(1)));
  server.listen({ host, port: Number(port) }, ready);
}`;

/** False when it could not be started: an image need not have Node. */
export async function relayLoopback(engine: Engine, containerId: string, host: string, port: number): Promise<boolean> {
  const said = await execute(engine, containerId, ["node", "-e", RELAY, host, String(port)]);
  return said.trim() === "ready";
}
