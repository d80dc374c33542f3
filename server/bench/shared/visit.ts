import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";

const MAX_REDIRECTS = 8;

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Sent {
  readonly method?: string;
  readonly body?: string | Readable;
  /** Where connections are used again; without, each request has its own. */
  readonly agent?: http.Agent;
}

/** Somebody at a browser without its screen: keeps the cookies of each host by itself, and follows where it is sent. */
export class Visitor {
  readonly #jar = new Map<string, Map<string, string>>();
  readonly #port: number;

  /** Every name is looked for at this port of this machine, whatever the system's resolver knows of `*.localhost`. */
  constructor(dashboard: string, cookies: string) {
    const { host, port } = new URL(dashboard);
    this.#port = Number(port);
    for (const cookie of cookies.split("; ")) this.#keep(host, cookie);
  }

  /** One request, wherever it sends us. */
  async ask(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    { method = "GET", body = "", agent }: Sent = {},
  ): Promise<Answer & { location: string | null }> {
    const { protocol, host, hostname, pathname, search } = new URL(url);
    const cookie = this.cookies(host);
    // Certificates of a test are nobody's.
    const { request } = protocol === "https:" ? https : http;
    const trust = protocol === "https:" ? { servername: hostname, rejectUnauthorized: false } : {};
    return new Promise((resolve, reject) => {
      const place = { host: "127.0.0.1", port: this.#port, path: pathname + search, agent: agent ?? (false as const) };
      const sent = request({ ...place, ...trust, method, headers: { host, cookie, ...headers } }, (answer) => {
        for (const line of answer.headers["set-cookie"] ?? []) this.#keep(host, line);
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const location = answer.headers.location;
          resolve({
            status: answer.statusCode ?? 0,
            body: Buffer.concat(chunks).toString("utf8"),
            location: location === undefined ? null : new URL(location, url).href,
          });
        });
      });
      sent.on("error", reject);
      if (typeof body === "string") sent.end(body);
      else body.pipe(sent);
    });
  }

  /** A page load, with all that it leads to. */
  async open(url: string): Promise<Answer> {
    const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", accept: "text/html" };
    let answer = await this.ask(url, navigation);
    for (let hop = 0; answer.location !== null; hop += 1) {
      if (hop === MAX_REDIRECTS) throw new Error(`${url} leads on and on, last to ${answer.location}`);
      answer = await this.ask(answer.location, navigation);
    }
    return answer;
  }

  cookies(host: string): string {
    return [...(this.#jar.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(host: string, line: string): void {
    const [, name = "", value = ""] = /^([^=;]*)=([^;]*)/.exec(line) ?? [];
    const kept = this.#jar.get(host) ?? new Map<string, string>();
    if (value === "") kept.delete(name);
    else kept.set(name, value);
    this.#jar.set(host, kept);
  }
}
