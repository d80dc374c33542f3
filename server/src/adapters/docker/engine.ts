import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { wholeAnswer } from "#adapters/runtime-parts/whole-answer.ts";
import { EngineError, unreachable } from "./engine-error.ts";

export interface EngineOptions {
  /** `unix:///var/run/docker.sock`, or `tcp://host:port`. */
  readonly host: string;
  /** Contents of the files; with them a tcp engine is spoken to over TLS, and must prove who it is. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** How long any call may take that does not say otherwise. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 15_000;
/** The oldest interface with everything used here: Docker 20.10. Newer engines that dropped it say what they still speak. */
const OLDEST_API = "1.41";

/**
 * The few calls we need of a Docker engine. Every one ends in bounded time; whatever is not a clear answer is a
 * rejection, so that a hanging engine can never be read as "not there".
 */
export class Engine {
  readonly name: string;
  /** Whether it is spoken to over a socket of this machine. */
  readonly isLocal: boolean;
  readonly #target: RequestOptions;
  readonly #secure: boolean;
  readonly #agent: HttpAgent;
  readonly #timeoutMs: number;
  #version: Promise<string> | null = null;

  constructor(options: EngineOptions) {
    this.name = options.host;
    this.isLocal = options.host.startsWith("unix:");
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#secure = options.tls !== undefined;
    this.#agent = this.#secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    this.#target = { ...targetOf(options.host), ...options.tls };
  }

  /** A JSON answer, or null for 404. Other failures reject: EngineError with the engine's words, or Unreachable. */
  async call<T>(method: string, path: string, options: CallOptions = {}): Promise<T | null> {
    const signal = this.#deadline(options);
    const response = await this.#send(method, path, options, signal);
    const text = await this.#read(response, signal);
    const status = response.statusCode ?? 0;
    if (status === 404) return null;
    if (status === 304) return {} as T;
    if (status < 200 || status >= 300) throw new EngineError(status, messageOf(text));
    return (text === "" ? {} : JSON.parse(text)) as T;
  }

  /** The same where 404 is no sensible answer. */
  async need<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const answer = await this.call<T>(method, path, options);
    if (answer === null) throw new EngineError(404, `${method} ${path}: not found`);
    return answer;
  }

  /** An answer that goes on: its head must come in time; how long the rest may take is up to the caller's signal. */
  async stream(method: string, path: string, options: CallOptions = {}): Promise<IncomingMessage> {
    const headInTime = new AbortController();
    const timer = setTimeout(() => headInTime.abort(), options.timeoutMs ?? this.#timeoutMs);
    const signal = AbortSignal.any([headInTime.signal, ...(options.signal ? [options.signal] : [])]);
    try {
      const response = await this.#send(method, path, options, signal);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return response;
      throw new EngineError(status, messageOf(await this.#read(response, signal)));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Takes over the connection: a two-way stream to a container's standard streams. */
  async hijack(path: string, query: Readonly<Record<string, string>>): Promise<Duplex> {
    const full = await this.#path(path, query);
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const headers = { connection: "Upgrade", upgrade: "tcp" };
    return await new Promise<Duplex>((resolve, reject) => {
      const request = this.#request({ method: "POST", path: full, headers, agent: false });
      const giveUp = () => request.destroy(new Error("it does not answer"));
      signal.addEventListener("abort", giveUp, { once: true });
      request.on("error", (error) => reject(unreachable(this.name, error)));
      request.on("response", (response) => {
        this.#read(response, signal).then(
          (text) => reject(new EngineError(response.statusCode ?? 0, messageOf(text))),
          reject,
        );
      });
      request.on("upgrade", (_response, socket, head) => {
        signal.removeEventListener("abort", giveUp);
        // A connection may break before anybody reads from it; whoever does hears of it all the same.
        socket.on("error", () => {});
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      request.end();
    });
  }

  #deadline(options: CallOptions): AbortSignal {
    const limit = AbortSignal.timeout(options.timeoutMs ?? this.#timeoutMs);
    return options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  }

  async #path(path: string, query: Readonly<Record<string, string>> = {}): Promise<string> {
    this.#version ??= this.#negotiate().catch((error: unknown) => {
      this.#version = null;
      throw error;
    });
    const search = new URLSearchParams(query).toString();
    return `/v${await this.#version}${path}${search === "" ? "" : `?${search}`}`;
  }

  async #negotiate(): Promise<string> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const response = await this.#exchange({ method: "GET", path: "/version" }, undefined, signal);
    const text = await this.#read(response, signal);
    if (response.statusCode !== 200) throw new EngineError(response.statusCode ?? 0, messageOf(text));
    const { ApiVersion, MinAPIVersion } = JSON.parse(text) as { ApiVersion: string; MinAPIVersion?: string };
    if (older(ApiVersion, OLDEST_API)) {
      throw new EngineError(0, `speaks API ${ApiVersion}; ${OLDEST_API} (Docker 20.10) or newer is needed`);
    }
    return MinAPIVersion !== undefined && older(OLDEST_API, MinAPIVersion) ? MinAPIVersion : OLDEST_API;
  }

  async #send(method: string, path: string, options: CallOptions, signal: AbortSignal): Promise<IncomingMessage> {
    const body = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
    const headers = { ...options.headers, "content-type": "application/json", "content-length": body?.length ?? 0 };
    const full = await this.#path(path, options.query);
    return await this.#exchange({ method, path: full, headers, agent: this.#agent }, body, signal);
  }

  #exchange(options: RequestOptions, body: Buffer | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = this.#request({ ...options, signal });
      request.on("error", (error) => reject(unreachable(this.name, error)));
      request.on("response", resolve);
      request.end(body);
    });
  }

  #request(options: RequestOptions) {
    const all = { ...this.#target, ...options };
    return this.#secure ? httpsRequest(all) : httpRequest(all);
  }

  #read(response: IncomingMessage, signal: AbortSignal): Promise<string> {
    return wholeAnswer(response, signal, new Error("it does not answer")).catch((error: Error) => {
      throw unreachable(this.name, error);
    });
  }
}

function targetOf(host: string): RequestOptions {
  const url = new URL(host);
  if (url.protocol === "unix:") return { socketPath: decodeURIComponent(url.pathname) };
  if (url.protocol === "tcp:") return { host: url.hostname, port: url.port };
  throw new Error(`DOCKER_HOST must start with unix:// or tcp://, not ${url.protocol}//`);
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? text);
  } catch {
    return text.slice(0, 1_000);
  }
}

function older(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = than.split(".").map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
