import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { answerSocket, isRefused, refuseConnection, refuseUpgrade } from "#proxy/pages/answers.ts";
import { misdirected, type WorkspaceProxy } from "#proxy/proxy.ts";
import {
  cookiesAreTheCause,
  type HeadSize,
  MAX_HEAD_BYTES,
  measureHead,
  PARSER_LIMIT_BYTES,
  readBegunHead,
} from "#proxy/wire/head-size.ts";
import { limitBody } from "./body-deadline.ts";
import { closeServer } from "./close-server.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import type { Leaving } from "./leaving.ts";
import type { HostMatch } from "./origins.ts";

export interface FrontDeps {
  readonly proxy: WorkspaceProxy;
  readonly dashboardOrigin: string;
  /** Everything on the dashboard's host that is not a workspace's door. */
  readonly dashboard: (req: IncomingMessage, res: ServerResponse) => void;
  /** Answered for any host: a health check knows an address, not a name. */
  readonly isHealthCheck: (target: string | undefined) => boolean;
  /** How long the head of a request may take, on a connection that has just been made or used. */
  readonly headMs?: number;
  /** Shared by all listeners of the process. */
  readonly connections: ConnectionLimit;
  readonly leaving?: Leaving;
  /** Something of ours failed in a way that nobody expected. It ended one connection only. */
  readonly onFault: (error: unknown) => void;
}

const HEAD_MS = 30_000;
const TWO_HOSTS = "The request is not valid: it names more than one Host.";

/**
 * One server for everything, told apart by the exact Host. Node's strict parser stands in front: requests whose length
 * can be read in two ways never get here.
 */
export function createFront(deps: FrontDeps): Server {
  const { proxy, dashboardOrigin, dashboard, isHealthCheck, connections, leaving, onFault, headMs = HEAD_MS } = deps;
  const server = createServer({
    maxHeaderSize: PARSER_LIMIT_BYTES,
    headersTimeout: headMs,
    connectionsCheckingInterval: headMs / 4,
    // Bodies have deadlines of their own: what was let in to a workspace may take long, everything else may not.
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    noDelay: true,
    // Any other protocol is not spoken here, so a request for one is an ordinary request.
    shouldUpgradeCallback: (req) => req.headers.upgrade?.toLowerCase() === "websocket",
  });
  const alone = (socket: Duplex, take: () => void) => {
    try {
      take();
    } catch (error) {
      socket.destroy();
      onFault(error);
    }
  };
  const dispatch = (req: IncomingMessage, res: ServerResponse) => {
    if (isRefused(req)) return;
    limitBody(req, res);
    if (leaving?.meets(req, res) === true) return;
    const head = measureHead(req);
    if (head.hosts > 1) return refuseConnection(req, res, 400, TWO_HOSTS);
    const match = proxy.match(req.headers.host);
    if (head.total > MAX_HEAD_BYTES) {
      const { text, headers } = tooLong(match, head);
      return refuseConnection(req, res, 431, text, headers);
    }
    if (match === null && !isHealthCheck(req.url)) return misdirected(res, dashboardOrigin);
    if (match === null || !proxy.owns(match, req.url)) return dashboard(req, res);
    proxy.request(req, res, match);
  };
  const dispatchContinue = (req: IncomingMessage, res: ServerResponse) => {
    // The proxy asks for the body itself, after it has let the request in; nobody else here waits to be asked.
    const match = proxy.match(req.headers.host);
    if (match === null || !proxy.owns(match, req.url)) res.writeContinue();
    dispatch(req, res);
  };
  const upgrade = (req: IncomingMessage, socket: Duplex, early: Buffer) => {
    if (isRefused(req)) return void socket.destroy();
    const head = measureHead(req);
    if (head.hosts > 1) return answerSocket(socket, 400, TWO_HOSTS);
    const match = proxy.match(req.headers.host);
    if (head.total > MAX_HEAD_BYTES) return answerTooLong(socket, match, head);
    if (match === null) return refuseUpgrade(socket, 421, "This server does not answer for that host name.");
    if (!proxy.owns(match, req.url)) return refuseUpgrade(socket, 404, "There is nothing here.");
    proxy.upgrade(req, socket, early, match);
  };
  server.on("request", (req, res) => alone(req.socket, () => dispatch(req, res)));
  server.on("checkContinue", (req, res) => alone(req.socket, () => dispatchContinue(req, res)));
  server.on("upgrade", (req, socket, early) => alone(socket, () => upgrade(req, socket, early)));
  server.on("clientError", (error: ParserError, socket: Socket) =>
    alone(socket, () => onClientError(error, socket, proxy)),
  );
  connections.guard(server);
  return server;
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** What the parser refuses. The connection ends: nobody can tell where the next request would begin. */
function onClientError(error: ParserError, socket: Socket, proxy: WorkspaceProxy): void {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW": {
      const { rawPacket } = error;
      // Only the first packet of a connection surely begins with the request that it was refused for.
      const begun = rawPacket?.length === socket.bytesRead ? readBegunHead(rawPacket) : null;
      return answerTooLong(socket, proxy.match(begun?.host ?? undefined), begun?.size ?? null);
    }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return answerSocket(socket, 408, "The request did not come in time.");
    default:
      return answerSocket(socket, 400, "The request is not valid.");
  }
}

/**
 * A page can fill its own origin with cookies until no request fits any more. Clearing them lets it recover. Nobody else
 * is signed out: where it is not a workspace's host, not known, or not the cookies, nothing is cleared.
 */
function tooLong(match: HostMatch | null, size: HeadSize | null): { text: string; headers: Record<string, string> } {
  if (match?.kind === "workspace" && size !== null && cookiesAreTheCause(size))
    return {
      text: "This workspace had set too many cookies. They have been cleared; load the page again.",
      headers: { "Clear-Site-Data": '"cookies"' },
    };
  return {
    text: "The request's head is too long. If that happens with every page of this address, clear the cookies of this site in the browser's settings.",
    headers: {},
  };
}

function answerTooLong(socket: Duplex, match: HostMatch | null, size: HeadSize | null): void {
  const { text, headers } = tooLong(match, size);
  answerSocket(socket, 431, text, headers);
}

export interface Listening {
  readonly port: number;
  readonly addresses: readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Listens on a host. For `localhost` that is both loopback addresses or none: browsers try ::1 first, and a stranger
 * who listens there could pose as the dashboard. A machine without IPv6 has no such place.
 */
export async function listen(
  makeServer: () => Server,
  host: string,
  port: number,
  onFault: (error: unknown) => void,
): Promise<Listening> {
  const hosts = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(closeServer));
  };
  let bound = port;
  for (const address of hosts) {
    const server = makeServer();
    try {
      await new Promise<void>((done, fail) => server.once("error", fail).listen(bound, address, done));
      // From here on an error is about one connection that could not be taken.
      server.on("error", onFault);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (address === "::1" && (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT")) continue;
      await close();
      throw new Error(
        `Cannot listen on ${address} port ${bound} (${code}). ${code === "EADDRINUSE" ? "Something else listens there; stop it or set PORT." : "Check HOST and PORT."}`,
        { cause: error },
      );
    }
    bound = (server.address() as AddressInfo).port;
    servers.push(server);
  }
  return { port: bound, addresses: hosts.slice(0, servers.length), close };
}
