/**
 * Runs beside a workspace in its pod, in the same network, on Kubernetes. It says whose pod this is, which ports its
 * processes listen on, and listens on the pod's address in place of those that listen on their loopback alone.
 *
 *   GET  /            {"pod": UID}
 *   GET  /listening   and the kernel's tables, and which ports the relay itself listens on
 *   GET  /usage       and how full the file system of the home is
 *   POST /relay/PORT  the same, when connections to the pod's address are passed on to that port of the loopback
 *
 * It is reached by the server alone: the network policy keeps everybody else out, and whoever is inside the pod can reach
 * the loopback without it. Plain and without dependencies, because there is one beside every workspace.
 */
const fs = require("node:fs");
const http = require("node:http");
const net = require("node:net");

const {
  CODEHUB_POD_IP: host = "",
  CODEHUB_POD_UID: pod = "",
  CODEHUB_RELAY_PORT = "0",
  CODEHUB_VOLUME: volume = "",
} = process.env;
const IDLE_MS = 600_000;

/** @type {Map<number, net.Server>} */
const relays = new Map();

/** @param {NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }} error Of every address that was tried. */
const isRefused = (error) => /ECONNREFUSED/.test(String(error.code) + String(error.errors?.map((one) => one.code)));

/** Leaves when the program does, or when nobody has come for a while. @param {number} port */
function relay(port) {
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = net.connect({ host: "localhost", port, allowHalfOpen: true, noDelay: true });
    idle.refresh();
    client.pipe(target).pipe(client);
    const end = () => {
      client.destroy();
      target.destroy();
    };
    client.on("error", end);
    target.on("error", (error) => {
      end();
      if (isRefused(error)) close();
    });
    client.on("close", () => idle.refresh());
  });
  const close = () => {
    clearTimeout(idle);
    relays.delete(port);
    server.close();
  };
  const idle = setTimeout(() => {
    server.getConnections((_, open) => (open > 0 ? idle.refresh() : close()));
  }, IDLE_MS);
  return new Promise((resolve) => {
    server.on("error", () => {
      close();
      resolve(false);
    });
    server.listen({ host, port }, () => {
      relays.set(port, server);
      resolve(true);
    });
  });
}

function tables() {
  const read = (/** @type {string} */ file) => {
    try {
      return fs.readFileSync(file, "latin1");
    } catch {
      return "";
    }
  };
  return read("/proc/net/tcp") + read("/proc/net/tcp6");
}

/** Nothing where the volume does not answer: who asks does not wait for ever either. */
async function usage() {
  if (volume === "") return {};
  const { bsize, blocks, bfree, bavail } = await fs.promises.statfs(volume);
  return { disk: { bsize, blocks, bfree, bavail } };
}

/** @param {http.IncomingMessage} request */
async function answer({ method, url = "" }) {
  const [, port] = /^\/relay\/(\d{1,5})$/.exec(url) ?? [];
  if (method !== "POST" || port === undefined)
    return url === "/listening"
      ? { tables: tables(), relayed: [...relays.keys()] }
      : url === "/usage"
        ? await usage()
        : {};
  return relays.has(Number(port)) || (isForPrograms(Number(port)) && (await relay(Number(port)))) ? {} : null;
}

/** Whoever is inside the pod can ask, too: nothing that is asked for ends the relay or takes its own place. @param {number} port */
const isForPrograms = (port) => port > 0 && port < 65_536 && port !== Number(CODEHUB_RELAY_PORT);

const server = http.createServer(async (request, response) => {
  const more = await answer(request).catch(() => null);
  response.statusCode = more === null ? 409 : 200;
  response.end(JSON.stringify({ pod, ...more }));
});
server.listen({ host, port: Number(CODEHUB_RELAY_PORT) });
process.on("SIGTERM", () => process.exit(0));
