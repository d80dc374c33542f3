import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Passage } from "./passage.ts";

/** Where a request goes; asked for each. */
export type Route = (asked: { readonly host: string; readonly path: string }) => string;

const PORT = 80;

/** What an Ingress does: sends each request on as it is, by its host and path. Nothing of it is changed or kept. */
export async function openFront(route: Route): Promise<Passage> {
  const open = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
  };
  const targetOf = ({ headers, url = "/" }: IncomingMessage): string => route({ host: headers.host ?? "", path: url });
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    const on = request({ host: targetOf(asked), port: PORT, method, path: url, headers, agent: false }, (said) => {
      answer.writeHead(said.statusCode ?? 502, said.rawHeaders);
      said.pipe(answer);
    });
    on.on("error", () => answer.destroy());
    asked.pipe(on);
  });
  server.on("connection", keep);
  server.on("upgrade", (asked, socket, head) => {
    const there = keep(connect(PORT, targetOf(asked)));
    const lines = [`${asked.method} ${asked.url} HTTP/1.1`];
    for (let i = 0; i < asked.rawHeaders.length; i += 2)
      lines.push(`${asked.rawHeaders[i]}: ${asked.rawHeaders[i + 1]}`);
    there.write(`${lines.join("\r\n")}\r\n\r\n`);
    there.write(head);
    there.pipe(socket).pipe(there);
    there.on("close", () => socket.destroy());
    socket.on("close", () => there.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
