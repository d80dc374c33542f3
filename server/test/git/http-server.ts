import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { gitEnvironment } from "./repositories.ts";

/** What happens to requests from now on; without one they are served. */
export type Trouble =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "redirect"; readonly to: string }
  /** No answer, for as long as the caller waits. */
  | { readonly kind: "hang" }
  /** Served once this has come. */
  | { readonly kind: "wait"; readonly until: Promise<void>; readonly onWaiting: () => void }
  /** The connection is cut in the middle of an answer. */
  | { readonly kind: "cut"; readonly afterBytes: number };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The name that was given, true or false. */
  readonly user: string | null;
  readonly status: number;
}

/** A real `git http-backend` behind a server that can be asked to misbehave. Paths that begin with /private/ want a sign-in. */
export interface GitHttpServer extends AsyncDisposable {
  /** For example http://127.0.0.1:34567. */
  readonly url: string;
  readonly host: string;
  readonly requests: readonly SeenRequest[];
  /** Null: as it should be. `only` limits it to requests whose path and query match. */
  readonly trouble: (trouble: Trouble | null, only?: RegExp) => void;
  /** The password of every user from now on. */
  readonly setPassword: (password: string) => void;
}

export interface GitHttpOptions {
  /** The folder with the bare repositories. */
  readonly root: string;
  readonly password?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly address?: string;
}

interface State {
  trouble: Trouble | null;
  only: RegExp | null;
  password: string;
  readonly root: string;
  readonly requests: SeenRequest[];
}

export async function startGitHttp({ root, password = "right", tls, address }: GitHttpOptions): Promise<GitHttpServer> {
  const state: State = { trouble: null, only: null, password, root, requests: [] };
  const listener: http.RequestListener = (request, response) => void answer(state, request, response);
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
  const at = address ?? "127.0.0.1";
  server.listen(0, at);
  await once(server, "listening");
  const host = `${at}:${(server.address() as AddressInfo).port}`;
  return {
    url: `${tls === undefined ? "http" : "https"}://${host}`,
    host,
    requests: state.requests,
    trouble: (trouble, only) => Object.assign(state, { trouble, only: only ?? null }),
    setPassword: (next) => Object.assign(state, { password: next }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(state: State, request: http.IncomingMessage, response: http.ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "/").split("?");
  const [user] = credentialsOf(request.headers.authorization);
  response.on("close", () => {
    const { method = "" } = request;
    state.requests.push({ method, path, query, user, status: response.statusCode });
  });
  const trouble = state.only?.test(`${path}?${query}`) === false ? null : state.trouble;
  if (trouble?.kind === "hang") return;
  if (trouble?.kind === "wait") {
    void trouble.until.then(() => reply(state, null, request, response));
    trouble.onWaiting();
  } else reply(state, trouble, request, response);
}

function reply(
  state: State,
  trouble: Trouble | null,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): void {
  const [path = "", query = ""] = (request.url ?? "/").split("?");
  const [user, password] = credentialsOf(request.headers.authorization);
  const refusal = refusalOf(trouble, request.url ?? "/", path.startsWith("/private/") && password !== state.password);
  if (refusal === null)
    serve(state, { path, query, user }, request, response, trouble?.kind === "cut" ? trouble.afterBytes : null);
  else
    response.writeHead(refusal.status, { "content-type": "text/plain", ...refusal.headers }).end(`${refusal.status}\n`);
}

interface Refusal {
  readonly status: number;
  readonly headers?: http.OutgoingHttpHeaders;
}

function refusalOf(trouble: Trouble | null, url: string, wantsSignIn: boolean): Refusal | null {
  if (trouble?.kind === "status") return { status: trouble.status };
  if (trouble?.kind === "redirect") return { status: 302, headers: { location: `${trouble.to}${url}` } };
  return wantsSignIn ? { status: 401, headers: { "www-authenticate": 'Basic realm="git"' } } : null;
}

function credentialsOf(header: string | undefined): readonly [string | null, string | null] {
  const [, encoded = ""] = /^Basic (.*)$/i.exec(header ?? "") ?? [];
  if (encoded === "") return [null, null];
  const [, user = "", password = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  return [user, password];
}

interface Place {
  readonly path: string;
  readonly query: string;
  readonly user: string | null;
}

function serve(
  { root }: State,
  { path, query, user }: Place,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  cutAfter: number | null,
): void {
  const { headers } = request;
  const env = {
    ...gitEnvironment,
    PATH: process.env["PATH"] ?? "",
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: decodeURIComponent(path),
    QUERY_STRING: query,
    REQUEST_METHOD: request.method ?? "GET",
    CONTENT_TYPE: headers["content-type"] ?? "",
    ...(headers["content-length"] === undefined ? {} : { CONTENT_LENGTH: headers["content-length"] }),
    HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
    GIT_PROTOCOL: String(headers["git-protocol"] ?? ""),
    REMOTE_USER: user ?? "",
    REMOTE_ADDR: "127.0.0.1",
  };
  const child = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => {});
  request.pipe(child.stdin);
  response.on("close", () => child.kill());
  relay(child.stdout, response, cutAfter);
}

/** A CGI's answer: its head in lines, an empty line, its body. */
function relay(output: NodeJS.ReadableStream, response: http.ServerResponse, cutAfter: number | null): void {
  let head: Buffer | null = Buffer.alloc(0);
  let sent = 0;
  const pass = (chunk: Buffer): void => {
    sent += chunk.length;
    if (cutAfter === null || sent <= cutAfter) response.write(chunk);
    else response.write(chunk.subarray(0, chunk.length - (sent - cutAfter)), () => response.destroy());
  };
  output.on("data", (chunk: Buffer) => {
    if (head === null) return pass(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = head.subarray(0, end).toString().split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const { Status: status = "200", ...rest } = headers;
    response.writeHead(Number.parseInt(status, 10), rest);
    const body = head.subarray(end + 4);
    head = null;
    if (body.length > 0) pass(body);
  });
  output.on("end", () => response.end());
}
