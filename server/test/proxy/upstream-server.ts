import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Address } from "#core/rows/workspace.ts";

/** What the container saw of a request. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly bytes: number;
  readonly trailers: readonly string[];
}

export interface Echo {
  readonly address: Address;
  readonly seen: readonly Seen[];
  readonly connections: number;
  /** Answers instead of the echo. */
  handler: ((req: IncomingMessage, res: ServerResponse) => void) | null;
  onUpgrade: ((req: IncomingMessage, socket: Duplex, head: Buffer) => void) | null;
  readonly stop: () => Promise<void>;
}

/** Stands for the program in a container: a real server that remembers everything it is sent. */
export async function startEcho(path?: string): Promise<Echo> {
  const seen: Seen[] = [];
  let connections = 0;
  const server: Server = createServer((req, res) => {
    if (echo.handler !== null) return echo.handler(req, res);
    let bytes = 0;
    req.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    req.on("end", () => {
      const note = noteOf(req, bytes);
      seen.push(note);
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify(note));
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.on("upgrade", (req, socket, head) => {
    seen.push(noteOf(req, 0));
    if (echo.onUpgrade !== null) return echo.onUpgrade(req, socket, head);
    socket.on("error", () => socket.destroy());
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSet-Cookie: codehub_ws=evil\r\nSet-Cookie: ok=1\r\n\r\n",
    );
    socket.write(head);
    socket.pipe(socket);
  });
  await new Promise<void>((done) =>
    path === undefined ? server.listen(0, "127.0.0.1", done) : server.listen(path, done),
  );
  const address: Address =
    path === undefined
      ? { kind: "tcp", host: "127.0.0.1", port: (server.address() as AddressInfo).port }
      : { kind: "unix", path };
  const echo: Echo = {
    address,
    seen,
    get connections() {
      return connections;
    },
    handler: null,
    onUpgrade: null,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return echo;
}

const noteOf = (req: IncomingMessage, bytes: number): Seen => ({
  method: req.method ?? "",
  url: req.url ?? "",
  headers: req.rawHeaders,
  bytes,
  trailers: req.rawTrailers,
});
