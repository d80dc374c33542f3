import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, Agent as HttpsAgent, request as tlsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Passed on, and answered when `before` is over: by then it has been done, and nobody knows yet. */
interface HeldAnswer {
  readonly before: () => Promise<void> | void;
}

/** What to do with one request; undefined passes it on untouched. A promise holds it back. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => Verdict | Promise<Verdict>;
type Verdict = "handled" | { readonly cutResponseAfter: number } | HeldAnswer | undefined;

export interface FaultProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** For a proxy with TLS: the certificate to trust. */
  readonly ca: string | null;
  fault: Fault;
  /** Told of every request that was passed on, with its body. Whoever reads the request itself takes it away. */
  heard: ((request: IncomingMessage, body: Buffer) => void) | null;
}

interface FaultProxyOptions {
  readonly tls?: boolean;
  /** Of an upstream with TLS: the certificate to trust. */
  readonly upstreamCa?: string;
  /** Loopback unless told. */
  readonly host?: string;
}

/**
 * Stands before a real server, of S3 or of a cluster, and breaks what it is told to. The Host header is kept: it is part of a
 * signature.
 */
export async function startFaultProxy(upstream: string, options: FaultProxyOptions = {}): Promise<FaultProxy> {
  const proxy: Pick<FaultProxy, "fault" | "heard"> = { fault: () => undefined, heard: null };
  const { hostname, port: upstreamPort, protocol } = new URL(upstream);
  const isTls = protocol === "https:";
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const ask = isTls ? tlsRequest : request;
  const ca = options.upstreamCa === undefined ? {} : { ca: options.upstreamCa };
  const listener: RequestListener = async (incoming, response) => {
    const fault = await proxy.fault(incoming, response);
    if (fault === "handled") return;
    const { method, url: path, headers } = incoming;
    const target = { hostname, port: upstreamPort, method, path, headers, agent, ...ca };
    const outgoing = ask(target, async (answer) => {
      if (fault !== undefined && "before" in fault) await fault.before();
      const cut = fault !== undefined && "cutResponseAfter" in fault ? fault.cutResponseAfter : null;
      if (cut === 0 || response.destroyed) {
        answer.destroy();
        response.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      // A stream that goes on is said to have begun, also while there is nothing in it.
      if (answer.headers["content-length"] === undefined) response.flushHeaders();
      if (cut === null) answer.pipe(response);
      else cutAfter(answer, response, cut);
      answer.on("error", () => response.destroy());
    });
    outgoing.on("error", () => response.destroy());
    // A stream that nobody reads any more is ended there too.
    response.on("close", () => {
      if (!response.writableFinished) outgoing.destroy();
    });
    const { heard } = proxy;
    const chunks: Buffer[] = [];
    if (heard !== null) {
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => heard(incoming, Buffer.concat(chunks)));
    }
    incoming.pipe(outgoing);
  };
  const identity = options.tls === true ? selfSigned() : null;
  const server = identity === null ? createServer(listener) : createTlsServer(identity, listener);
  server.listen(0, options.host ?? "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    endpoint: `${identity === null ? "http" : "https"}://${options.host ?? "127.0.0.1"}:${port}`,
    ca: identity?.cert ?? null,
    [Symbol.asyncDispose]: async () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

function cutAfter(answer: IncomingMessage, response: ServerResponse, bytes: number): void {
  let sent = 0;
  answer.on("data", (chunk: Buffer) => {
    if (sent >= bytes) return;
    sent += chunk.length;
    response.write(chunk.subarray(0, Math.max(0, chunk.length - Math.max(0, sent - bytes))), () => {
      if (sent >= bytes) response.destroy();
    });
  });
  answer.on("end", () => response.end());
}

function selfSigned(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "codehub-cert-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject], {
    stdio: "ignore",
  });
  const pair = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  rmSync(folder, { recursive: true });
  return pair;
}
