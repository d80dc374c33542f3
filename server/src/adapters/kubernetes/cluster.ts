import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { wholeAnswer } from "#adapters/runtime-parts/whole-answer.ts";
import type { ClusterAccess } from "./access.ts";
import { type Answer, ClusterError, meaningOf, means, pauseMs, retryAfterMs, unreachable } from "./answers.ts";
import type { Meta } from "./objects.ts";

export interface CallOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of the body; JSON unless told. */
  readonly contentType?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** A change that is as good done twice, so it is asked for again also where it may have been done. */
  readonly repeatable?: boolean;
}

interface ListAnswer<T> {
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
  readonly items: readonly T[] | null;
}

const TIMEOUT_MS = 15_000;
/** Of answers that did not come. */
const LOST_TRIES = 4;
const PAGE = "500";
/** A list whose pages were thrown away while it was read is read again from the beginning, this often. */
const LIST_TRIES = 3;
const AT_ONCE = 32;

/**
 * The few calls we need of a cluster's API server. Every one ends in bounded time. Null is a consistent read's "not
 * there" and nothing else: whatever is not a clear answer is a rejection.
 */
export class Cluster {
  readonly name: string;
  readonly #access: ClusterAccess;
  readonly #base: URL;
  readonly #agent: HttpAgent;
  readonly #timeoutMs: number;

  constructor(access: ClusterAccess, timeoutMs: number = TIMEOUT_MS) {
    this.name = access.server;
    this.#access = access;
    this.#base = new URL(access.server);
    this.#timeoutMs = timeoutMs;
    const pool = { keepAlive: true, maxSockets: AT_ONCE };
    this.#agent = this.#base.protocol === "https:" ? new HttpsAgent(pool) : new HttpAgent(pool);
  }

  /** The object, or null where it is positively not there. */
  async read<T>(path: string, options: CallOptions = {}): Promise<T | null> {
    try {
      return await this.#call<T>("GET", path, options);
    } catch (error) {
      if (means(error, "absent")) return null;
      throw error;
    }
  }

  async create<T>(path: string, body: unknown, options: CallOptions = {}): Promise<T> {
    return await this.#call<T>("POST", path, { ...options, body });
  }

  /** Only where it still is the version that was read; null where it is positively not there. */
  async patch<T>(path: string, change: object, options: CallOptions = {}): Promise<T | null> {
    try {
      const contentType = "application/merge-patch+json";
      return await this.#call<T>("PATCH", path, { ...options, body: change, contentType, repeatable: true });
    } catch (error) {
      if (means(error, "absent")) return null;
      throw error;
    }
  }

  /**
   * Asks for the removal of exactly this object; another one of the same name is left alone. That the cluster agreed
   * does not mean that it is gone. Never with a grace of 0: a pod's object would go at once and its program would not.
   */
  async remove(path: string, uid: string, graceSeconds?: number): Promise<void> {
    const grace = graceSeconds === undefined ? {} : { gracePeriodSeconds: Math.max(1, Math.ceil(graceSeconds)) };
    await this.#delete(path, { uid }, grace);
  }

  /**
   * The one exception: a pod's object goes without its node's word, because a person has given theirs. Only as it was seen:
   * of one that was heard of since, which changes it, that word is not true any more, however late this is asked.
   */
  async forget(path: string, { uid, resourceVersion }: Pick<Meta, "uid" | "resourceVersion">): Promise<void> {
    await this.#delete(path, { uid, resourceVersion }, { gracePeriodSeconds: 0 });
  }

  async #delete(
    path: string,
    preconditions: { readonly uid: string; readonly resourceVersion?: string },
    grace: { readonly gracePeriodSeconds?: number },
  ): Promise<void> {
    const body = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions,
      propagationPolicy: "Background",
      ...grace,
    };
    try {
      await this.#call("DELETE", path, { body, repeatable: true });
    } catch (error) {
      if (!means(error, "absent", "conflict")) throw error;
    }
  }

  /** Everything there is, as of one moment: complete, or rejected. */
  list<T>(path: string, labels: Readonly<Record<string, string>>): Promise<T[]> {
    return this.listed(path, labels, (object: T) => object);
  }

  /**
   * The same of many: of each object only what was picked is kept. Ten thousand whole ones are a hundred megabytes, and a
   * page of them is not.
   */
  async listed<T, Picked>(
    path: string,
    labels: Readonly<Record<string, string>>,
    pick: (object: T) => Picked,
  ): Promise<Picked[]> {
    const labelSelector = selectorOf(labels);
    for (let tries = 1; ; tries++) {
      try {
        return await this.#pages<T, Picked>(path, { labelSelector, limit: PAGE }, pick);
      } catch (error) {
        if (!means(error, "expired") || tries >= LIST_TRIES) throw error;
      }
    }
  }

  async #pages<T, Picked>(
    path: string,
    query: Readonly<Record<string, string>>,
    pick: (object: T) => Picked,
  ): Promise<Picked[]> {
    const found: Picked[] = [];
    for (let next = ""; ; ) {
      // Without a resource version: what the cluster agrees on now, and not what one server remembers.
      const page = await this.#call<ListAnswer<T>>("GET", path, {
        query: next === "" ? query : { ...query, continue: next },
      });
      for (const object of page.items ?? []) found.push(pick(object));
      next = page.metadata.continue ?? "";
      if (next === "") return found;
    }
  }

  /** Where a watch can begin: the version of now, for the price of one object. */
  async versionOf(path: string, labels: Readonly<Record<string, string>>): Promise<string> {
    const query = { labelSelector: selectorOf(labels), limit: "1" };
    return (await this.#call<ListAnswer<{ metadata: Meta }>>("GET", path, { query })).metadata.resourceVersion;
  }

  /** Plain text, bounded. */
  async text(path: string, query: Readonly<Record<string, string>>): Promise<string> {
    return await this.#insist("GET", path, { query }, ({ body }) => body);
  }

  /** An answer that goes on: its head must come in time; how long the rest may take is up to the caller's signal. */
  async stream(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
    const headInTime = new AbortController();
    const timer = setTimeout(() => headInTime.abort(), this.#timeoutMs);
    try {
      // A connection of its own: those of the pool are for calls that end.
      const both = AbortSignal.any([headInTime.signal, signal]);
      const response = await this.#exchange("GET", path, { query }, both, false);
      if (response.statusCode === 200) return response;
      throw new ClusterError(await this.#answer(response, both), `watching ${path}`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #call<T>(method: string, path: string, options: CallOptions): Promise<T> {
    return await this.#insist(method, path, options, ({ body }) => {
      try {
        return JSON.parse(body) as T;
      } catch (error) {
        // One that breaks off where nobody says how long it is looks whole, and is as lost as any other.
        throw unreachable(this.name, error as Error);
      }
    });
  }

  /**
   * Until there is an answer that can be read, or the time is over: a cluster that says that it has too much to do is there, and is
   * asked again for as long as anybody waits. One that says nothing is away after a few tries. What may have been done, and
   * only once, is asked for once.
   */
  async #insist<T>(method: string, path: string, options: CallOptions, read: (answer: Answer) => T): Promise<T> {
    const limit = AbortSignal.timeout(options.timeoutMs ?? this.#timeoutMs);
    const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
    const what = `${method} ${path}`;
    const mayRepeat = method === "GET" || options.repeatable === true;
    let refused: ClusterError | null = null;
    for (let tries = 1, lost = 0; ; tries++) {
      let asked: number | null = null;
      try {
        const answer = await this.#answer(await this.#exchange(method, path, options, signal, this.#agent), signal);
        if (answer.status >= 200 && answer.status < 300) return read(answer);
        const meaning = meaningOf(answer);
        refused = new ClusterError(answer, what);
        if (meaning !== "busy" && !(meaning === "unclear" && mayRepeat && answer.status >= 500)) throw refused;
        asked = retryAfterMs(answer);
      } catch (error) {
        if (error instanceof ClusterError || !mayRepeat) throw error;
        // What it said last says more than that it did not answer in time.
        if (signal.aborted) throw refused ?? error;
        if (++lost >= LOST_TRIES) throw error;
      }
      await pause(pauseMs(tries, asked, Math.random()), signal);
      if (signal.aborted) throw refused ?? unreachable(this.name, new DOMException("", "TimeoutError"));
    }
  }

  #exchange(
    method: string,
    path: string,
    { query = {}, body, contentType = "application/json" }: CallOptions,
    signal: AbortSignal,
    agent: HttpAgent | false,
  ): Promise<IncomingMessage> {
    const search = new URLSearchParams(query).toString();
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const { tls } = this.#access;
    return new Promise((resolve, reject) => {
      const token = this.#access.token();
      const options: RequestOptions = {
        method,
        host: this.#base.hostname.replace(/^\[|\]$/g, ""),
        port: this.#base.port,
        path: `${this.#base.pathname.replace(/\/$/, "")}${path}${search === "" ? "" : `?${search}`}`,
        headers: {
          accept: "application/json",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(sent === undefined ? {} : { "content-type": contentType, "content-length": sent.length }),
        },
        agent,
        signal,
      };
      const request = this.#base.protocol === "https:" ? httpsRequest({ ...options, ...tls }) : httpRequest(options);
      request.on("error", (error) => reject(unreachable(this.name, error)));
      request.on("response", resolve);
      request.end(sent);
    });
  }

  async #answer(response: IncomingMessage, signal: AbortSignal): Promise<Answer> {
    const late = new DOMException("", "TimeoutError") as unknown as Error;
    const body = await wholeAnswer(response, signal, late).catch((error: Error) => {
      throw unreachable(this.name, error);
    });
    return { status: response.statusCode ?? 0, body, retryAfter: response.headers["retry-after"] };
  }
}

const selectorOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

/** Ends at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const go = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    signal.addEventListener("abort", go, { once: true });
  });
}
