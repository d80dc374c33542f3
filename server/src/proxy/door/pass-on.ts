import { randomUUID } from "node:crypto";
import { Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { ErrorBody } from "@codehub/contract";
import { errorCatalogue } from "@codehub/contract/words";
import { sendJson } from "#proxy/pages/answers.ts";
import { sendPage } from "#proxy/pages/layout.ts";
import { restartingPage } from "#proxy/pages/plain-pages.ts";
import { isNavigation } from "./visit.ts";

export interface PassOnDeps {
  /** Where the API listens, on this machine. Whoever may connect there is believed about where a request comes from. */
  readonly socketPath: string;
  /** This process's own metrics, to be told with those of the API: they are of one deployment. */
  readonly metrics: () => Promise<string>;
}

export interface PassOn {
  readonly request: (req: IncomingMessage, res: ServerResponse) => void;
  /** Ends event streams, which would go on for ever, as the server itself ends them: whoever reads one asks for it again. */
  readonly leave: () => void;
  readonly close: () => void;
}

/**
 * What is about one connection and not about the message, and what the front has already done. Nothing else is left out,
 * whatever a `Connection` header names: a client that names what says where its body ends would have two requests made of one.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const METRICS = "/metrics";
const EVENT_STREAM = "text/event-stream";

/**
 * The dashboard and the API in a process of their own, over a socket of this machine. Bytes are passed on as they come, both
 * ways and at the pace of whoever is slower. While nobody listens there, people get a page that loads itself again
 * and programs a 503: nothing is kept waiting that nobody may ever answer.
 */
export function createPassOn({ socketPath, metrics }: PassOnDeps): PassOn {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 32 });
  const eventStreams = new Set<ServerResponse>();
  const send = (req: IncomingMessage, res: ServerResponse, again: boolean): void => {
    const { method, url } = req;
    const onward = request({ socketPath, agent, method, path: url, headers: onwardHeaders(req), setHost: false });
    let answered = false;
    onward.on("response", (answer) => {
      answered = true;
      if (url === METRICS && answer.statusCode === 200) return void withOwn(answer, res, metrics);
      passBack(answer, res);
      if (answer.headers["content-type"]?.startsWith(EVENT_STREAM) !== true) return;
      eventStreams.add(res);
      res.once("close", () => eventStreams.delete(res));
    });
    onward.on("error", () => {
      // Who asked has left; this is how we let go of it.
      if (res.closed || res.destroyed) return;
      // Begun answers cannot be taken back: who reads them learns by the connection's end that they are not whole.
      if (answered || res.headersSent) return void res.destroy();
      if (again && mayRepeat(req, onward)) return send(req, res, false);
      away(req, res);
    });
    res.on("close", () => {
      onward.destroy();
      // Answered before all of it was sent: the rest is read for a moment, or the client would not get to the answer.
      req.unpipe(onward).resume();
    });
    if (hasBody(req)) req.pipe(onward);
    else onward.end();
  };
  const leave = (): void => {
    for (const res of eventStreams) res.end();
  };
  return { request: (req, res) => send(req, res, true), leave, close: () => agent.destroy() };
}

/** A connection that rested may have ended just when it was used again; then nobody has seen the request. */
const mayRepeat = (req: IncomingMessage, onward: ClientRequest): boolean =>
  onward.reusedSocket && !hasBody(req) && (req.method === "GET" || req.method === "HEAD");

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/** With the address that the connection came from behind those that the client itself tells of, as every proxy does. */
function onwardHeaders(req: IncomingMessage): string[] {
  const headers = endToEnd(req);
  headers.push("X-Forwarded-For", req.socket.remoteAddress ?? "unknown");
  // A body whose length is not told is framed by us.
  if (hasBody(req) && req.headers["content-length"] === undefined) headers.push("Transfer-Encoding", "chunked");
  return headers;
}

/** In their order and their number, as they came. */
function endToEnd({ rawHeaders }: IncomingMessage): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, rawHeaders[index + 1] ?? "");
  }
  return kept;
}

function passBack(answer: IncomingMessage, res: ServerResponse): void {
  // Where the answer breaks off, so does what is passed back: a part must not look like the whole.
  answer.on("error", () => res.destroy());
  res.sendDate = false;
  res.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", endToEnd(answer));
  // An event stream is answered before there is anything to tell.
  res.flushHeaders();
  answer.pipe(res);
}

async function withOwn(answer: IncomingMessage, res: ServerResponse, metrics: () => Promise<string>): Promise<void> {
  try {
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part);
    const text = `${Buffer.concat(parts).toString("utf8")}\n${await metrics()}`;
    const length = String(Buffer.byteLength(text));
    const headers = endToEnd(answer).map((word, index, all) =>
      index % 2 === 1 && all[index - 1]?.toLowerCase() === "content-length" ? length : word,
    );
    res.sendDate = false;
    res.writeHead(200, headers).end(text);
  } catch {
    res.destroy();
  }
}

function away(req: IncomingMessage, res: ServerResponse): void {
  req.resume();
  if (isNavigation(req.method, req.headers)) return sendPage(res, restartingPage(), { Refresh: "1" });
  const code = "SERVER_RESTARTING";
  const { status, message, action } = errorCatalogue[code];
  const body: ErrorBody = { error: { code, message, action, request_id: randomUUID() } };
  res.setHeader("Retry-After", "1");
  sendJson(res, status, body);
}
