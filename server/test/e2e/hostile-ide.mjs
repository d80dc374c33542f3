// Stands where the IDE would and serves whatever a bad workspace could serve. It remembers every request it gets.
import { chmodSync } from "node:fs";
import { createServer } from "node:http";

const requests = [];
const page = "<!doctype html><title>workspace</title><p>a page of the workspace</p>";

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://x");
  if (pathname === "/healthz") return response.end("ok");
  if (pathname === "/log") return response.end(JSON.stringify(requests));
  requests.push({ method: request.method, url: request.url, headers: request.rawHeaders });
  if (pathname.endsWith("/sw.js")) {
    response.writeHead(200, { "content-type": "text/javascript", "service-worker-allowed": "/" });
    return response.end("self.addEventListener('fetch', () => {});");
  }
  if (pathname === "/to") {
    response.writeHead(302, { location: new URL(request.url, "http://x").searchParams.get("url") });
    return response.end();
  }
  if (pathname === "/navigate") {
    response.writeHead(200, { "content-type": "text/html" });
    const url = new URL(request.url, "http://x").searchParams.get("url");
    return response.end(`<!doctype html><script>location.href = ${JSON.stringify(url)}</script>`);
  }
  response.writeHead(200, {
    "content-type": "text/html",
    "set-cookie": ["codehub=evil; Domain=localhost", "__Host-codehub_ws=evil; Path=/; Secure", "mine=1"],
    "access-control-allow-origin": request.headers.origin ?? "*",
    "access-control-allow-credentials": "true",
  });
  response.end(page);
});
server.on("upgrade", (request, socket) => {
  requests.push({ method: "UPGRADE", url: request.url, headers: request.rawHeaders });
  socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
});
const [, , socket] = process.argv;
server.listen(socket, () => chmodSync(socket, 0o600));
