import { once } from "node:events";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type RedisServer, redisAvailable, startRedis } from "../api/redis-server.ts";
import { apiAs } from "../e2e/accounts.ts";
import { browserIsHere, launchBrowser } from "../e2e/browser.ts";
import { type Program, startProgram } from "../e2e/program.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { newPerson, type Person } from "./person.ts";
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

describe.skipIf(!browserIsHere() || !redisAvailable())(
  "api and proxy in one process, the coordinator in another",
  () => {
    let redis: RedisServer;
    let database: TestDatabase;
    let front: Program;
    let coordinator: Program;
    let browser: Browser;
    let person: Person;

    beforeAll(async () => {
      redis = await startRedis();
      database = await createTestDatabase();
      const shared = { DATABASE_URL: database.url, REDIS_URL: redis.url };
      front = await startProgram({ ...shared, ROLES: "api,proxy" });
      coordinator = await startProgram({ ...shared, ROLES: "coordinator", DATA_DIR: front.dataDir });
      browser = await launchBrowser();
      person = await newPerson(browser, front.url, "ada");
    });
    afterAll(async () => {
      await browser?.close();
      await coordinator?.stop();
      await front?.stop();
      await database?.drop();
      await redis?.[Symbol.asyncDispose]();
    });

    /** A program in the terminal, and the browser's cookie for its port. */
    const openPort = async (): Promise<{ id: string; host: string; cookie: string }> => {
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
    };

    const epoch = async (): Promise<number> => (await (await apiAs(front.url)).getSystem()).leader?.epoch ?? 0;

    it("1,000 WebSockets outlive a killed coordinator and a killed Redis, and end at once with their workspace", async () => {
      const { id, host, cookie } = await openPort();
      const headers = { host, cookie, origin: `http://${host}` };
      const sockets: WebSocket[] = [];
      let closed = 0;
      for (let i = 0; i < COUNT; i += 1) {
        const socket = new WebSocket(`ws://127.0.0.1:${new URL(front.url).port}/`, { headers });
        sockets.push(socket.on("close", () => (closed += 1)));
        await once(socket, "open");
      }
      const echo = async (text: string): Promise<void> => {
        await Promise.all(
          sockets.map(async (socket, i) => {
            socket.send(`${text} ${i}`);
            const [answer] = await once(socket, "message");
            expect(String(answer)).toBe(`${text} ${i}`);
          }),
        );
      };
      await echo("before");

      const before = await epoch();
      await coordinator.crash();
      await echo("without a coordinator");
      await coordinator.start();
      await until("a coordinator that leads again", async () => (await epoch()) > before);
      await redis.kill();
      await echo("without Redis");
      await redis.start();
      await echo("after both");
      expect(closed).toBe(0);
      expect(sockets.every((socket) => socket.readyState === WebSocket.OPEN)).toBe(true);

      // The news of a deletion goes from the API through database, leader and Redis to the proxy: all of them are back.
      const begun = performance.now();
      await person.api.deleteWorkspace({ params: { id } });
      await until("the end of every WebSocket", () => closed === COUNT);
      const ms = performance.now() - begun;
      console.log(`${COUNT} WebSockets: none dropped; all ended ${ms.toFixed(0)} ms after the delete`);
      expect(ms).toBeLessThan(10_000);
    });
  },
);
