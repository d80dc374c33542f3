import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Short answers in our own name, for requests that no person looks at. */
export function sendText(
  res: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...headers,
  });
  res.end(text);
}

/** Answers a request whose address exists for other methods only; false when the method is one of them. */
export function refusedMethod(req: IncomingMessage, res: ServerResponse, allow: string | undefined): boolean {
  if (allow === undefined || allow.split(", ").includes(req.method ?? "")) return false;
  req.resume();
  sendText(res, 405, `This address does not answer ${req.method}.`, { Allow: allow });
  return true;
}

const REFUSED: unique symbol = Symbol("refused");

type MarkedSocket = IncomingMessage["socket"] & { [REFUSED]?: true };

/** Whether an earlier request on this connection could be read in two ways: then nothing after it is believed. */
export const isRefused = (req: IncomingMessage): boolean => (req.socket as MarkedSocket)[REFUSED] === true;

/** Answers a request that means two things or is too much, and ends the connection with whatever else is on it. */
export function refuseConnection(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  (req.socket as MarkedSocket)[REFUSED] = true;
  sendText(res, status, text, { ...headers, Connection: "close" });
}

export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  if (res.headersSent || res.destroyed) return;
  const text = JSON.stringify(value);
  res.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  res.end(text);
}

export function redirect(res: ServerResponse, location: string, cookies: readonly string[] = []): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(303, {
    Location: location,
    "Content-Length": 0,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    ...(cookies.length === 0 ? {} : { "Set-Cookie": [...cookies] }),
  });
  res.end();
}

/** How long what a refused client still sends is read and dropped; closing at once would take the answer away from it. */
export const DRAIN_MS = 5_000;

/** Answers where there is no response object, only the socket, and ends the connection. */
export function answerSocket(
  socket: Duplex,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (!socket.writable) return void socket.destroy();
  socket.on("error", () => undefined);
  const extra = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\n${extra}Connection: close\r\n\r\n${text}`,
  );
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

export function refuseUpgrade(
  socket: Duplex,
  status: number,
  text: string,
  retryAfterSeconds: number | null = null,
): void {
  answerSocket(socket, status, text, retryAfterSeconds === null ? {} : { "Retry-After": String(retryAfterSeconds) });
}
