import { randomUUID } from "node:crypto";
import { once } from "node:events";
import https from "node:https";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Workspace, WorkspaceSummary } from "@codehub/contract";
import { type ClientOptions, WebSocket } from "ws";
import { Visitor } from "../../bench/shared/visit.ts";
import { openStream } from "../api/event-stream.ts";
import type { Addresses } from "./front.ts";

/** What went wrong, in the words of whoever met it; and how much went well. */
export interface Tally {
  answered: number;
  reconnected: number;
  readonly failed: string[];
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Somebody who is signed in, behind the front. */
export class Person {
  readonly visitor: Visitor;
  readonly #front: Addresses;
  readonly #agent = new https.Agent({ keepAlive: true });

  static async signIn(front: Addresses, who: Credentials): Promise<Person> {
    const stranger = new Visitor(front.baseUrl, "__Host-Http-codehub_probe=1");
    const headers = { origin: front.baseUrl, "content-type": "application/json" };
    const login = { method: "POST", body: JSON.stringify(who) };
    const answer = await stranger.ask(`${front.baseUrl}/api/v1/auth/login`, headers, login);
    if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${answer.body}`);
    return new Person(front, stranger);
  }

  private constructor(front: Addresses, visitor: Visitor) {
    this.#front = front;
    this.visitor = visitor;
  }

  async api<T>(method: string, path: string, body?: object | Readable): Promise<T> {
    const headers = {
      origin: this.#front.baseUrl,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const sent = body === undefined ? {} : { body: body instanceof Readable ? body : JSON.stringify(body) };
    const answer = await this.visitor.ask(`${this.#front.baseUrl}/api/v1${path}`, headers, {
      method,
      agent: this.#agent,
      ...sent,
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.slice(0, 300)}`);
    return JSON.parse(answer.body) as T;
  }

  /** A workspace that runs, opened as a browser does: from then on its host knows us. */
  async start(name: string): Promise<Workspace> {
    const { id } = await this.api<Workspace>("POST", "/workspaces", { name, desired_state: "RUNNING", address: "id" });
    await this.reaches(id, "RUNNING");
    const page = await this.visitor.open(`${this.#front.baseUrl}/w/${id}/`);
    if (!page.body.includes("code-server")) throw new Error(`the IDE did not open: ${page.status} ${page.body}`);
    return await this.api<Workspace>("GET", `/workspaces/${id}`);
  }

  /** Until nothing is under way there any more. A minute is long, also on a busy machine. */
  async reaches(id: string, phase: Workspace["phase"]): Promise<void> {
    for (const deadline = performance.now() + 60_000; ; await delay(200)) {
      const { phase: now, operation } = await this.api<Workspace>("GET", `/workspaces/${id}`);
      if (now === phase && operation === "NONE") return;
      if (performance.now() > deadline) throw new Error(`the workspace is ${now} (${operation}) and not ${phase}`);
    }
  }

  async askIde(id: string, body?: Readable): Promise<number> {
    const sent = body === undefined ? {} : { method: "POST", body };
    const origin = this.#workspace(id);
    // What says that it is JSON is read to its end by the IDE before it answers.
    const headers = { origin, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    return (await this.visitor.ask(`${origin}/healthz`, headers, { agent: this.#agent, ...sent })).status;
  }

  async socket(id: string): Promise<WebSocket> {
    const origin = this.#workspace(id);
    const { host, hostname: servername, port } = new URL(origin);
    const target = `wss://127.0.0.1:${port}/?reconnectionToken=${randomUUID()}&reconnection=false`;
    const headers = { host, origin, cookie: this.visitor.cookies(host) };
    const options: ClientOptions & { servername: string } = { headers, servername, rejectUnauthorized: false };
    const opened = new WebSocket(target, options);
    opened.on("error", () => undefined);
    await once(opened, "open");
    return opened;
  }

  /** Reads events, from whoever there is, and holds what a dashboard would hold. */
  follow(signal: AbortSignal, tally: Tally): { readonly held: () => ReadonlyMap<string, WorkspaceSummary> } {
    const { host, port } = new URL(this.#front.baseUrl);
    const target = { url: `https://127.0.0.1:${port}`, origin: this.#front.baseUrl };
    let workspaces: ReadonlyMap<string, WorkspaceSummary> = new Map();
    const loop = async (): Promise<void> => {
      while (!signal.aborted) {
        const stream = openStream(target, { cookie: this.visitor.cookies(host) }, false);
        const close = (): void => stream.close();
        signal.addEventListener("abort", close, { once: true });
        const status = await stream.status;
        if (status !== 200 && !signal.aborted) tally.failed.push(`an event stream was answered with ${status}`);
        ({ workspaces } = stream);
        await stream.ended;
        signal.removeEventListener("abort", close);
        if (!signal.aborted) tally.reconnected += 1;
      }
    };
    void loop();
    return { held: () => workspaces };
  }

  #workspace = (id: string): string => this.#front.workspaceBaseUrl.replace("{id}", id);
}

/** A body that takes its time: it is under way while things change. */
export const slowly = (text: string, ms: number): Readable =>
  Readable.from(
    (async function* () {
      const half = Math.floor(text.length / 2);
      yield text.slice(0, half);
      await delay(ms);
      yield text.slice(half);
    })(),
    { objectMode: false },
  );

/** Does it again and again until told to stop, and notes what failed. */
export async function again(signal: AbortSignal, tally: Tally, what: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await what();
      tally.answered += 1;
    } catch (error) {
      tally.failed.push(String(error));
    }
  }
}
