import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";

/** What a page has drawn, as files: its elements without scripts, and its styles. */
export class StaticPage implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async of(page: Page): Promise<StaticPage> {
    const drawn = await page.content();
    const links = [...drawn.matchAll(/<link[^>]+href="([^"]+\.css)"[^>]*>/g)].map(([, href]) => href ?? "");
    if (links.length === 0) throw new Error("the page has no styles of its own");
    const styles = await Promise.all(
      links.map(async (href) => (await page.request.get(new URL(href, page.url()).href)).text()),
    );
    const html = drawn
      .replace(/<script\b[\s\S]*?<\/script>/g, "")
      .replace(/<link[^>]*>/g, "")
      .replace("</head>", '<link rel="stylesheet" href="/page.css"></head>');
    const files = new Map([
      ["/", { type: "text/html; charset=utf-8", body: html, cache: "no-cache" }],
      ["/page.css", { type: "text/css", body: styles.join("\n"), cache: "public, max-age=31536000, immutable" }],
    ]);
    const server = createServer((request, answer) => {
      const file = files.get(request.url ?? "");
      if (file === undefined) return answer.writeHead(404).end();
      return answer.writeHead(200, { "content-type": file.type, "cache-control": file.cache }).end(file.body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new StaticPage(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
