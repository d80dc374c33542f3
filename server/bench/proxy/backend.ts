import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * `backend.ts [HOST PORT]`: what stands behind every proxy of the bench, a small answer over HTTP and an echo over
 * WebSockets. It also runs as the only file of a container, so it needs nothing but Node.
 */
const [host = "127.0.0.1", port = "0"] = process.argv.slice(2);
const body = "hello from a workspace, a body of a few dozen bytes\n";
const server = createServer({ keepAliveTimeout: 120_000 }, (_req, res) => {
  res.writeHead(200, ["Content-Type", "text/plain", "Content-Length", String(body.length)]);
  res.end(body);
});
server.on("upgrade", (_req, socket, head) => {
  socket.on("error", () => socket.destroy());
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  socket.write(head);
  socket.pipe(socket);
});
server.listen(Number(port), host, () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
