import { once } from "node:events";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { WebSocket } from "ws";
import { type RedisServer, redisAvailable, startRedis } from "../api/redis-server.ts";
import { apiAs } from "../e2e/accounts.ts";
import { browserIsHere, launchBrowser } from "../e2e/browser.ts";
import { type Program, startProgram } from "../e2e/program.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import type { Person } from "./person.ts";
import { story } from "./story.ts";
import { until } from "./until.ts";

const COUNT = 1_000;
const PORT = 3457;

/** Answers every WebSocket with what it was sent: the frame unmasked. Messages here are shorter than 126 bytes. */
const ECHO = `
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
server.listen(${PORT}, "127.0.0.1", () => console.log("echo", "listens"));`;

/** Filled in before the test runs. */
interface Parts {
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
  await ide.run(`node -e "$(echo ${Buffer.from(ECHO).toString("base64")} | base64 -d)"`);
  await ide.printed(/echo listens/);
  const origin = new URL(ide.page.url()).origin.replace("//", `//${PORT}--`);
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

describe.skipIf(!browserIsHere() || !redisAvailable())(
  "api and proxy in one process, the coordinator in another",
  () => {
    const parts = {} as Parts;

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
      const epoch = async (): Promise<number> => (await admin.getSystem()).leader?.epoch ?? 0;
      const ada = await step("signing in", () => person("ada"));
      const { id, host, cookie } = await step("a program listens on a port", () => openPort(ada));

      const sockets: WebSocket[] = [];
      let closed = 0;
      const gone = (): void => {
        closed += 1;
      };
      // A connection may end by a reset, which is an error and then a close; what counts is when it ended.
      const keep = (socket: WebSocket): WebSocket => socket.on("error", () => undefined).on("close", gone);
      await step("the WebSockets are opened", async () => {
        const headers = { host, cookie, origin: `http://${host}` };
        for (let i = 0; i < COUNT; i += 1) {
          const socket = new WebSocket(`ws://127.0.0.1:${new URL(url).port}/`, { headers });
          sockets.push(keep(socket));
          await once(socket, "open");
        }
      });
      const echo = async (text: string): Promise<void> => {
        await Promise.all(
          sockets.map(async (socket, i) => {
            socket.send(`${text} ${i}`);
            const [answer] = await once(socket, "message");
            expect(String(answer)).toBe(`${text} ${i}`);
          }),
        );
      };
      await step("each gets its answer", () => echo("before"));

      await step("they outlive a coordinator", async () => {
        const before = await epoch();
        await coordinator.crash();
        await echo("without a coordinator");
        await coordinator.start();
        await until("a coordinator that leads again", async () => (await epoch()) > before);
      });
      await step("they outlive Redis", async () => {
        await redis.kill();
        await echo("without Redis");
        await redis.start();
        await echo("after both");
        expect(closed).toBe(0);
        expect(sockets.every((socket) => socket.readyState === WebSocket.OPEN)).toBe(true);
      });

      // The news of a deletion goes from the API through database, leader and Redis to the proxy: all of them are back.
      await step("they end with their workspace", async () => {
        const begun = performance.now();
        await ada.api.deleteWorkspace({ params: { id } });
        await until("the end of every WebSocket", () => closed === COUNT);
        const ms = performance.now() - begun;
        console.log(`${COUNT} WebSockets: none dropped; all ended ${ms.toFixed(0)} ms after the delete`);
        expect(ms).toBeLessThan(10_000);
      });
    });
  },
);
