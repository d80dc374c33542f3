import http from "node:http";
import net from "node:net";

export interface Handlers {
  readonly request: http.RequestListener;
  readonly upgrade: (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => void;
}

export interface Listening {
  readonly port: number;
  /** Stops accepting, lets requests under way finish for a moment, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/**
 * Binds one port on every address. `localhost` means 127.0.0.1 and ::1 both: browsers try ::1 first, and a stranger
 * listening there could pass for us; so either both are ours or nothing starts.
 */
export async function listen(host: string, port: number, handlers: Handlers): Promise<Listening> {
  const addresses = host === "localhost" ? await loopbacks() : [host];
  const servers: http.Server[] = [];
  let chosen = port;
  try {
    for (const address of addresses) {
      const server = createServer(handlers);
      chosen = await bind(server, address, chosen);
      servers.push(server);
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  return {
    port: chosen,
    close: async (graceMs) => {
      const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      for (const server of servers) server.closeIdleConnections();
      const cut = setTimeout(() => {
        for (const server of servers) server.closeAllConnections();
      }, graceMs);
      await Promise.all(closed);
      clearTimeout(cut);
    },
  };
}

function createServer(handlers: Handlers): http.Server {
  const server = http.createServer({
    keepAliveTimeout: 75_000,
    requestTimeout: 0,
    headersTimeout: 30_000,
    maxHeaderSize: 65_536,
  });
  server.on("request", handlers.request);
  server.on("upgrade", handlers.upgrade);
  return server;
}

/** ::1 is left out only on machines that have no IPv6 at all, where nobody else can listen there either. */
async function loopbacks(): Promise<string[]> {
  const probe = net.createServer();
  const hasIpv6 = await new Promise<boolean>((resolve, reject) => {
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRNOTAVAIL" || error.code === "EAFNOSUPPORT") resolve(false);
      else reject(error);
    });
    probe.listen(0, "::1", () => probe.close(() => resolve(true)));
  });
  return hasIpv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"];
}

function bind(server: http.Server, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") return reject(error);
      reject(
        new Error(
          `Port ${port} on ${address} is taken by another program. Stop it, or choose another with PORT=${port + 1}.`,
        ),
      );
    });
    server.listen(port, address, () => {
      server.removeAllListeners("error");
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : port);
    });
  });
}
