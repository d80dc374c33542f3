import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What to do with one request; undefined passes it on untouched. */
export type Fault = (
  request: IncomingMessage,
  response: ServerResponse,
) => "handled" | { cutResponseAfter: number } | undefined;

export interface FaultProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** For a proxy with TLS: the certificate to trust. */
  readonly ca: string | null;
  fault: Fault;
}

/** Stands before a real S3 server and breaks what it is told to. The Host header is kept: it is part of the signature. */
export async function startFaultProxy(upstream: string, options: { tls?: boolean } = {}): Promise<FaultProxy> {
  const proxy: { fault: Fault } = { fault: () => undefined };
  const listener: RequestListener = (incoming, response) => {
    const fault = proxy.fault(incoming, response);
    if (fault === "handled") return;
    const { hostname, port } = new URL(upstream);
    const { method, url: path, headers } = incoming;
    const outgoing = request({ hostname, port, method, path, headers }, (answer) => {
      if (fault?.cutResponseAfter === 0) {
        response.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (fault === undefined) answer.pipe(response);
      else cutAfter(answer, response, fault.cutResponseAfter);
    });
    outgoing.on("error", () => response.destroy());
    incoming.on("close", () => {
      if (!incoming.complete) outgoing.destroy();
    });
    incoming.pipe(outgoing);
  };
  const identity = options.tls === true ? selfSigned() : null;
  const server = identity === null ? createServer(listener) : createTlsServer(identity, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    endpoint: `${identity === null ? "http" : "https"}://127.0.0.1:${port}`,
    ca: identity?.cert ?? null,
    [Symbol.asyncDispose]: async () => {
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
