import { once } from "node:events";
import { connect, type Socket } from "node:net";
import fastify from "fastify";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

let visitor: Visitor;
/** Everything that was asked of the dashboard, at the moment its head had come. */
let asked: string[];

beforeEach(async () => {
  asked = [];
  const app = fastify();
  app.addHook("onRequest", async (request, reply) => {
    asked.push(request.url);
    if (request.url === "/api/v1/me") await reply.code(401).send("no");
  });
  app.post("/api/v1/auth/login", async (request) => request.body);
  app.post("/api/v1/me", async (request) => request.body);
  await app.ready();
  visitor = await startVisitor({ dashboard: app.routing });
  // Sockets live in real time; only our own deadlines wait for the test.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of open.splice(0)) socket.destroy();
  await visitor.stop();
});

const open: Socket[] = [];

/** Looks again in real time, which the test's own time does not move with. */
async function until(happened: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await happened())) await new Promise((done) => setImmediate(done));
}

const BEFORE_DEADLINE_MS = 29_000;
const AFTER_DEADLINE_MS = 2_000;
const DRAIN_MS = 5_000;

interface Conversation {
  readonly socket: Socket;
  readonly text: () => string;
}

/** A client that never closes its side by itself. */
async function say(bytes: string): Promise<Conversation> {
  const socket = connect({ port: visitor.front.port, host: "127.0.0.1", allowHalfOpen: true });
  open.push(socket);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(bytes);
  return { socket, text: () => text };
}

/** The client's own side stays open: only that the server has let go of the connection ends it. */
const letGo = () => until(async () => (await visitor.front.connections()) === 0);

const post = (host: string, path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json", ...headers, "", ""].join("\r\n");

describe("a body that comes too slowly", () => {
  test.each(["Content-Length: 100000", "Transfer-Encoding: chunked"])(
    "for the API, with %s, is answered 408 and ended",
    async (framing) => {
      const path = "/api/v1/auth/login";
      const { text } = await say(`${post("localhost:8000", path, framing)}1`);
      await until(() => asked.includes(path));
      vi.advanceTimersByTime(BEFORE_DEADLINE_MS);
      expect(text()).toBe("");
      vi.advanceTimersByTime(AFTER_DEADLINE_MS);
      await until(() => text().includes("\r\n\r\n"));
      expect(text()).toMatch(/^HTTP\/1\.1 408 /);
      vi.advanceTimersByTime(DRAIN_MS);
      await letGo();
    },
  );

  test("does not hold a connection that was answered without it", async () => {
    const { text } = await say(post("localhost:8000", "/api/v1/me", "Content-Length: 100000"));
    await until(() => text().includes("\r\n\r\n"));
    expect(text()).toMatch(/^HTTP\/1\.1 401 /);
    vi.advanceTimersByTime(DRAIN_MS);
    await letGo();
  });

  test("to a workspace holds no connection unless it was let in", async () => {
    const { text } = await say(
      post(visitor.host, "/", `Origin: ${visitor.origin}`, "Cookie: a=b", "Content-Length: 100000"),
    );
    await until(() => text().includes("\r\n\r\n"));
    expect(text()).toMatch(/^HTTP\/1\.1 401 /);
    vi.advanceTimersByTime(DRAIN_MS);
    await letGo();
  });

  test("while it is not yet known whether a workspace lets it in, is answered 408 as well", async () => {
    visitor.front.world.findWorkspaceSession = () => new Promise(() => undefined);
    const { text } = await say(
      post(visitor.host, "/", `Origin: ${visitor.origin}`, `Cookie: ${visitor.cookie}`, "Content-Length: 100000"),
    );
    // The deadline begins with the head; until it has come there is nothing to wait for.
    await until(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(BEFORE_DEADLINE_MS + AFTER_DEADLINE_MS);
    await until(() => text().includes("\r\n\r\n"));
    expect(text()).toMatch(/^HTTP\/1\.1 408 /);
    vi.advanceTimersByTime(DRAIN_MS);
    await letGo();
  });

  test("to a workspace that lets it in may take its time", async () => {
    const { socket, text } = await say(
      post(visitor.host, "/", `Origin: ${visitor.origin}`, `Cookie: ${visitor.cookie}`, "Content-Length: 4"),
    );
    await until(() => visitor.front.proxy.openStreams === 1);
    vi.advanceTimersByTime(10 * BEFORE_DEADLINE_MS);
    socket.write("body");
    await until(() => text().includes("\r\n\r\n"));
    expect(text()).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});

describe("a client that stays after it was refused", () => {
  test.each([
    ["an upgrade without a session", () => handshake(visitor.host, { Origin: visitor.origin }), 401],
    ["an upgrade to nobody's host", () => handshake("evil.example", {}), 421],
    ["an upgrade of the dashboard", () => handshake("localhost:8000", {}), 404],
    ["what is no request", () => "nonsense\r\n\r\n", 400],
  ])("%s: the connection ends all the same", async (_name, bytes, status) => {
    const { text } = await say(bytes());
    await until(() => text().includes("\r\n\r\n"));
    expect(text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    vi.advanceTimersByTime(DRAIN_MS);
    await letGo();
  });

  test("an upgrade that nothing answers: the connection ends all the same", async () => {
    await visitor.echo.stop();
    const { text } = await say(handshake(visitor.host, { Origin: visitor.origin, Cookie: visitor.cookie }));
    await until(() => text().includes("\r\n\r\n"));
    expect(text()).toMatch(/^HTTP\/1\.1 502 /);
    vi.advanceTimersByTime(DRAIN_MS);
    await letGo();
  });
});

test.each(["", "GET / HTTP/1.1\r\nHost: localhost:8000\r\nX: "])(
  "a head that stops at %j is answered 408",
  async (head) => {
    const { stop, front } = await startVisitor({ headMs: 100 });
    const socket = await front.socket();
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    if (head !== "") socket.write(head);
    await once(socket, "close");
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    await stop();
  },
);
