import { once } from "node:events";
import { request } from "node:http";
import type { Client } from "@codehub/contract";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "#supervise/free-port.ts";
import { type RedisServer, redisAvailable, startRedis } from "../api/redis-server.ts";
import { apiAs } from "../e2e/accounts.ts";
import { browserIsHere, launchBrowser } from "../e2e/browser.ts";
import { type Program, startProgram } from "../e2e/program.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import type { Person } from "./person.ts";
import { story } from "./story.ts";
import { until } from "./until.ts";

/** Answers every WebSocket with what it was sent: the frame unmasked. Messages here are shorter than 126 bytes. */
const echo = (port: number): string => `
const crypto = require("crypto");
const server = require("http").createServer((req, res) => res.end("<h1>echo</h1>"));
server.on("upgrade", (req, socket) => {
  const key = crypto.createHash("sha1").update(req.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  const accept = "Sec-WebSocket-Accept: " + key.digest("base64");
  socket.write(["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", accept, "", ""].join("\\r\\n"));
  socket.on("error", () => socket.destroy());
  socket.on("data", (frame) => {
    const length = frame[1] & 127, mask = frame.subarray(2, 6), body = frame.subarray(6, 6 + length);
    socket.write(Buffer.concat([Buffer.from([129, length]), body.map((byte, i) => byte ^ mask[i % 4])]));
  });
});
server.listen(${port}, "127.0.0.1", () => console.log("echo", "listens"));`;

/** Filled in before the test runs. */
interface Apart {
  redis: RedisServer;
  database: TestDatabase;
  front: Program;
  coordinator: Program;
  browser: Browser;
  url: string;
}

/** A program in the terminal, and the browser's cookie for its port. */
async function openPort(person: Person): Promise<{ id: string; host: string; cookie: string }> {
  const workspace = await person.api.createWorkspace({ body: { name: "echo", standby_ttl_seconds: 0 } });
  const ide = await person.open(workspace);
  await ide.ready();
  await ide.openTerminal();
  // Another one for each try: what the first has left still listens.
  const port = await freePort();
  await ide.run(`node -e "$(echo ${Buffer.from(echo(port)).toString("base64")} | base64 -d)"`);
  await ide.printed(/echo listens/);
  const origin = new URL(ide.page.url()).origin.replace("//", `//${port}--`);
  const page = await person.context.newPage();
  await page.goto(origin);
  await page.getByRole("heading", { name: "echo" }).waitFor();
  const cookies = await person.context.cookies(origin);
  return {
    id: workspace.id,
    host: new URL(origin).host,
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
  };
}

/** WebSockets to a port of a workspace, from opening them to their end. */
class Sockets {
  readonly #open: WebSocket[] = [];
  closed = 0;

  async open(count: number, url: string, { host, cookie }: { host: string; cookie: string }): Promise<void> {
    const headers = { host, cookie, origin: `http://${host}` };
    for (let i = 0; i < count; i += 1) {
      const socket = new WebSocket(`ws://127.0.0.1:${new URL(url).port}/`, { headers });
      this.#open.push(socket);
      // A connection may end by a reset, which is an error and then a close; what counts is when it ended.
      socket
        .on("error", () => undefined)
        .on("close", () => {
          this.closed += 1;
        });
      await once(socket, "open");
    }
  }

  /** Each gets its own answer. */
  async echo(text: string): Promise<void> {
    await Promise.all(
      this.#open.map(async (socket, i) => {
        socket.send(`${text} ${i}`);
        const [answer] = await once(socket, "message");
        expect(String(answer)).toBe(`${text} ${i}`);
      }),
    );
  }

  expectAllOpen(): void {
    expect(this.closed).toBe(0);
    expect(this.#open.every((socket) => socket.readyState === WebSocket.OPEN)).toBe(true);
  }

  /** By an act of ours, of which the proxy has to hear. */
  async endBy(act: () => Promise<unknown>): Promise<void> {
    const begun = performance.now();
    await act();
    await until("the end of every WebSocket", () => this.closed === this.#open.length);
    const ms = performance.now() - begun;
    console.log(`${this.closed} WebSockets: none dropped; all ended after ${ms.toFixed(0)} ms`);
    expect(ms).toBeLessThan(10_000);
  }
}

const epochOf = async (admin: Client): Promise<number> => (await admin.getSystem()).leader?.epoch ?? 0;

describe.skipIf(!browserIsHere() || !redisAvailable())(
  "api and proxy in one process, the coordinator in another",
  () => {
    const parts = {} as Apart;

    beforeAll(async () => {
      parts.redis = await startRedis();
      parts.database = await createTestDatabase();
      const shared = { DATABASE_URL: parts.database.url, REDIS_URL: parts.redis.url };
      parts.front = await startProgram({ ...shared, ROLES: "api,proxy" });
      parts.url = parts.front.url;
      parts.coordinator = await startProgram({ ...shared, ROLES: "coordinator", DATA_DIR: parts.front.dataDir });
      parts.browser = await launchBrowser();
    });
    afterAll(async () => {
      await parts.browser?.close();
      await parts.coordinator?.stop();
      await parts.front?.stop();
      await parts.database?.drop();
      await parts.redis?.[Symbol.asyncDispose]();
    });

    const title =
      "1,000 WebSockets outlive a killed coordinator and a killed Redis, and end at once with their workspace";
    story("sockets", title, parts, async ({ person, step }) => {
      const { redis, coordinator, url } = parts;
      const admin = await apiAs(url);
      const ada = await step("signing in", () => person("ada"));
      const port = await step("a program listens on a port", () => openPort(ada));
      const sockets = new Sockets();
      await step("the WebSockets are opened", () => sockets.open(1_000, url, port));
      await step("each gets its answer", () => sockets.echo("before"));

      await step("they outlive a coordinator", async () => {
        const before = await epochOf(admin);
        await coordinator.crash();
        await sockets.echo("without a coordinator");
        await coordinator.start();
        await until("a coordinator that leads again", async () => (await epochOf(admin)) > before);
      });
      await step("they outlive Redis", async () => {
        await redis.kill();
        await sockets.echo("without Redis");
        await redis.start();
        await sockets.echo("after both");
        sockets.expectAllOpen();
      });
      // The news of a deletion goes from the API through database, leader and Redis to the proxy: all of them are back.
      await step("they end with their workspace", () =>
        sockets.endBy(() => ada.api.deleteWorkspace({ params: { id: port.id } })),
      );
    });
  },
);

describe.skipIf(!browserIsHere())("the proxy in a process of its own, as npm start runs it, without Redis", () => {
  const parts = {} as { program: Program; browser: Browser; url: string };

  beforeAll(async () => {
    // Of what people do, the coordinator hears eight times within a TTL.
    parts.program = await startProgram({ TTL_STANDBY_SECONDS: "60" });
    parts.url = parts.program.url;
    parts.browser = await launchBrowser();
  });
  afterAll(async () => {
    await parts.browser?.close();
    await parts.program?.stop();
  });

  const title = "a server that is killed or started anew cuts no WebSocket and fails no request to a workspace";
  story("apart", title, parts, async ({ person, step }) => {
    const { program, url } = parts;
    const admin = await apiAs(url);
    const ada = await step("signing in", () => person("ada"));
    const port = await step("a program listens on a port", () => openPort(ada));
    const sockets = new Sockets();
    await step("WebSockets are opened", () => sockets.open(50, url, port));

    const asking = new AbortController();
    const requests = { answered: 0, wrong: [] as string[] };
    const ask = async (): Promise<void> => {
      const { host, cookie } = port;
      while (!asking.signal.aborted) {
        const body = await askFor(url, { host, cookie }).catch(String);
        if (body === "<h1>echo</h1>") requests.answered += 1;
        else requests.wrong.push(body);
      }
    };
    const loops = [ask(), ask()];
    const leads = (former: number) =>
      until("a server that leads again", async () => (await epochOf(admin).catch(() => 0)) > former);

    await step("a killed server", async () => {
      const former = await epochOf(admin);
      await program.crashServer();
      await until("the API is away", async () => (await fetch(`${url}/readyz`)).status === 503);
      await sockets.echo("without a server");
      await leads(former);
      await sockets.echo("with another server");
    });
    await step("a server that is started anew", async () => {
      const former = await epochOf(admin);
      program.signal("SIGUSR2");
      await leads(former);
      await sockets.echo("with a third server");
    });
    await step("nothing was cut and nothing failed", async () => {
      asking.abort();
      await Promise.all(loops);
      sockets.expectAllOpen();
      console.log(`${requests.answered} requests were answered meanwhile`);
      expect(requests.wrong).toEqual([]);
      expect(requests.answered).toBeGreaterThan(100);
    });
    await step("what a person did meanwhile counts: the proxy's word reaches the new server", async () => {
      const { last_access_at: before } = await ada.api.getWorkspace({ params: { id: port.id } });
      // What comes again and again by itself is no sign of a person, so this is no GET.
      await until("a later access", async () => {
        await askFor(url, port, "POST");
        const { last_access_at: now } = await ada.api.getWorkspace({ params: { id: port.id } });
        return Date.parse(now ?? "") > Date.parse(before ?? "");
      });
    });
    await step("signing out reaches the proxy, and ends them", () =>
      sockets.endBy(async () => {
        const json = `{ "content-type": "application/json" }`;
        const signOut = `fetch("/api/v1/auth/logout", { method: "POST", headers: ${json}, body: "{}" })`;
        expect(await ada.page.evaluate(`${signOut}.then((answer) => answer.ok)`)).toBe(true);
      }),
    );
  });
});

function askFor(url: string, { host, cookie }: { host: string; cookie: string }, method = "GET"): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host, cookie, origin: `http://${host}` };
    const sent = request({ port: new URL(url).port, host: "127.0.0.1", method, headers, agent: false });
    sent.on("error", reject).end();
    sent.on("response", (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      answer.on("error", reject).on("end", () => resolve(answer.statusCode === 200 ? body : `${answer.statusCode}`));
    });
  });
}
