import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach } from "vitest";
import { Cluster } from "#adapters/kubernetes/cluster.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

type Answering = (asked: Asked, response: ServerResponse, count: number) => void;

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** An API server that says what a test wants it to. */
export async function apiServer(answering: Answering): Promise<{ cluster: Cluster; asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer(async (request: IncomingMessage, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const one = { method: request.method ?? "", path: pathname, query: searchParams, body: await text(request) };
    asked.push(one);
    answering(one, response, asked.length);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { cluster: new Cluster({ server: `http://127.0.0.1:${port}`, tls: {}, token: () => "t" }, 3_000), asked };
}

export function json(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}
export const refuse = (response: ServerResponse, code: number, reason: string, details: object = {}): void =>
  json(response, code, { kind: "Status", code, reason, message: reason, details });
