import { once } from "node:events";
import type { Socket } from "node:net";
import { Transform, type Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Flood } from "./flood.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

let visitor: Visitor;

beforeEach(async () => {
  visitor = await startVisitor();
});
afterEach(() => visitor.stop());

const upgrade = (headers: Record<string, string> = {}, path = "/ws") =>
  handshake(visitor.host, { Origin: visitor.origin, Cookie: visitor.cookie, ...headers }, path);

async function openSocket(text = upgrade()): Promise<{ socket: Socket; head: string }> {
  const socket = await visitor.front.socket();
  socket.on("error", () => undefined);
  socket.write(text);
  const [chunk] = await once(socket, "data");
  return { socket, head: String(chunk) };
}

/** A body in HTTP's chunks, each written as it comes. */
function inChunks(socket: Writable): Writable {
  const body = new Transform({
    transform: (chunk: Buffer, _encoding, done) =>
      done(null, Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])),
    flush: (done) => done(null, "0\r\n\r\n"),
  });
  body.pipe(socket);
  return body;
}

describe("an upgrade", () => {
  test("joins both sides byte for byte, with the handshake filtered", async () => {
    const { socket, head } = await openSocket(
      upgrade({
        Cookie: `a=1; ${visitor.cookie}`,
        "X-Forwarded-For": "6.6.6.6",
        "Sec-WebSocket-Extensions": "permessage-deflate",
      }),
    );
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    expect(head).toContain("Set-Cookie: ok=1");
    expect(head).not.toContain("codehub_ws=evil");
    const seen = visitor.echo.seen[0]?.headers.join("\n") ?? "";
    expect(seen).toContain("a=1");
    expect(seen).toContain("permessage-deflate");
    expect(seen).not.toMatch(/codehub|6\.6\.6\.6/);
    const payload = Buffer.alloc(3_000_000, 9);
    socket.write(payload);
    let received = 0;
    for await (const chunk of socket) {
      received += (chunk as Buffer).length;
      if (received >= payload.length) break;
    }
    expect(received).toBe(payload.length);
  });

  test("loses nothing that the client sent right behind it", async () => {
    const { socket } = await openSocket(`${upgrade()}early bytes`);
    const [chunk] = await once(socket, "data");
    expect(String(chunk)).toBe("early bytes");
    socket.destroy();
  });

  test("of VS Code's is made without compression, so that its messages can be told apart", async () => {
    const path = "/stable?reconnectionToken=abc&reconnection=false&skipWebSocketFrames=false";
    const { socket } = await openSocket(upgrade({ "Sec-WebSocket-Extensions": "permessage-deflate" }, path));
    expect(visitor.echo.seen[0]?.headers.join("\n")).not.toContain("permessage-deflate");
    socket.destroy();
  });

  test.each([
    ["no origin", {}],
    ["null", { Origin: "null" }],
    ["a stranger", { Origin: "http://evil.example" }],
    ["the dashboard", { Origin: "http://localhost:8000" }],
    ["another workspace", { Origin: "http://99999999-9999-4999-8999-999999999999.localhost:8000" }],
    ["a port of this workspace", { Origin: "http://3000--ID.localhost:8000" }],
    ["another scheme", { Origin: "https://ID.localhost:8000" }],
    ["another port", { Origin: "http://ID.localhost:8001" }],
    ["no port", { Origin: "http://ID.localhost" }],
    ["capitals", { Origin: "HTTP://ID.LOCALHOST:8000" }],
    ["a suffix", { Origin: "http://ID.localhost:8000.evil.example" }],
    ["a slash", { Origin: "http://ID.localhost:8000/" }],
  ])("from %s is refused before a byte reaches the container", async (_name, headers: { Origin?: string }) => {
    const origin = headers.Origin?.replace("ID", visitor.name);
    const text = handshake(visitor.host, {
      Cookie: visitor.cookie,
      ...(origin === undefined ? {} : { Origin: origin }),
    });
    expect(await visitor.front.raw(text)).toMatch(/^HTTP\/1\.1 403 /);
    expect(visitor.echo.seen).toHaveLength(0);
    expect(visitor.echo.connections).toBe(0);
  });

  test("without a session, with somebody else's, or to a sleeping workspace, is refused and wakes nothing", async () => {
    const { front, row } = visitor;
    const other = front.world.running(front.world.addUser(), visitor.echo.address);
    const otherCookie = `__Host-codehub_ws=${front.world.admit(other, visitor.sessionId)}`;
    for (const Cookie of ["a=b", otherCookie, visitor.dashboard])
      expect(await front.raw(upgrade({ Cookie }))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await front.raw(upgrade({ Cookie: `${visitor.cookie}; ${otherCookie}` }))).toMatch(/^HTTP\/1\.1 400 /);
    front.world.patch(row.id, { phase: "STANDBY", desiredState: "STANDBY", endpoint: null });
    front.proxy.workspaceChanged(row.id);
    const asleep = await front.raw(upgrade());
    expect(asleep).toMatch(/^HTTP\/1\.1 503 /);
    expect(asleep).toContain("Retry-After: 10");
    expect(front.world.rows.get(row.id)?.desiredState).toBe("STANDBY");
    expect(visitor.echo.connections).toBe(0);
  });

  test("that the container declines is answered with the container's own words", async () => {
    visitor.echo.onUpgrade = (_req, socket) =>
      socket.end("HTTP/1.1 426 Upgrade Required\r\nX-Why: no\r\nContent-Length: 4\r\n\r\nnope");
    const text = await visitor.front.raw(upgrade());
    expect(text).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
    expect(text).toContain("X-Why: no");
    expect(text.endsWith("nope")).toBe(true);
  });

  test.each([
    ["up to the end of the connection", "", (body: Writable) => body],
    ["in chunks", "Transfer-Encoding: chunked\r\n", inChunks],
  ])("that is declined with a flood, %s, stops the container until the client reads", async (_name, header, frame) => {
    const flood = new Flood();
    visitor.echo.onUpgrade = (_req, socket) => {
      socket.on("error", () => undefined);
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n`);
      flood.into(frame(socket));
    };
    const socket = await visitor.front.socket();
    socket.pause();
    socket.write(upgrade());
    await flood.stalled;
    expect(flood.sent).toBeLessThan(Flood.BYTES);
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await once(socket, "close");
    expect(received).toBeGreaterThan(Flood.BYTES);
  });

  test("to a container that is not there is a 502", async () => {
    await visitor.echo.stop();
    expect(await visitor.front.raw(upgrade())).toMatch(/^HTTP\/1\.1 502 /);
  });
});

describe("an open WebSocket", () => {
  test("ends when its session ends, and others stay", async () => {
    const { front, row } = visitor;
    const second = front.world.login({ ...front.world.addUser(), id: row.ownerId });
    const stays = await openSocket(
      upgrade({ Cookie: `__Host-codehub_ws=${front.world.admit(row, second.record.sessionId)}` }),
    );
    const goes = await openSocket();
    front.world.logout(visitor.sessionId);
    front.proxy.sessionsChanged();
    await once(goes.socket, "close");
    stays.socket.write("still");
    const [chunk] = await once(stays.socket, "data");
    expect(String(chunk)).toBe("still");
    stays.socket.destroy();
  });

  test("ends by itself within the time between two looks when nobody says anything", async () => {
    const { socket } = await openSocket();
    visitor.front.world.logout(visitor.sessionId);
    await once(socket, "close");
  });

  test("ends when the workspace is deleted", async () => {
    const { socket } = await openSocket();
    visitor.front.world.patch(visitor.row.id, { deletedAt: Date.now() });
    visitor.front.proxy.workspaceChanged(visitor.row.id);
    await once(socket, "close");
  });

  test("ends when the workspace is given to somebody else, told of it or not, and lets its former owner in no more", async () => {
    const { front, row, host, cookie } = visitor;
    const told = await openSocket();
    front.world.patch(row.id, { ownerId: front.world.addUser().id });
    front.proxy.workspaceChanged(row.id);
    await once(told.socket, "close");
    expect((await front.ask({ host, headers: { cookie } })).status).toBe(404);

    front.world.patch(row.id, { ownerId: row.ownerId });
    front.proxy.workspaceChanged(row.id);
    const { socket } = await openSocket();
    front.world.patch(row.id, { ownerId: front.world.addUser().id });
    await once(socket, "close");
  });

  test("outlives a database that does not answer for a while", async () => {
    const { socket } = await openSocket();
    visitor.front.world.down = true;
    visitor.front.proxy.sessionsChanged();
    visitor.front.proxy.workspaceChanged(visitor.row.id);
    socket.write("alive");
    const [chunk] = await once(socket, "data");
    expect(String(chunk)).toBe("alive");
    socket.destroy();
  });

  test("closes on both sides when one closes", async () => {
    const closed = new Promise<void>((done) => {
      visitor.echo.onUpgrade = (_req, socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
        socket.on("error", () => undefined).on("end", () => socket.end());
        socket.once("close", () => done());
        socket.resume();
      };
    });
    const { socket } = await openSocket();
    socket.end();
    await closed;
    await expect.poll(() => visitor.front.proxy.openStreams).toBe(0);
  });

  test("is one of a thousand that stay open together and all carry data", async () => {
    const sockets: Socket[] = [];
    for (let i = 0; i < 1_000; i += 50) {
      const batch = await Promise.all(Array.from({ length: 50 }, () => openSocket()));
      sockets.push(...batch.map(({ socket }) => socket));
    }
    expect(visitor.front.proxy.openStreams).toBe(1_000);
    // A database that goes away and comes back, as it does in a restart.
    visitor.front.world.down = true;
    visitor.front.proxy.sessionsChanged();
    await Promise.all(
      sockets.map(async (socket, i) => {
        socket.write(`hello ${i}`);
        const [chunk] = await once(socket, "data");
        expect(String(chunk)).toBe(`hello ${i}`);
      }),
    );
    visitor.front.world.down = false;
    visitor.front.proxy.sessionsChanged();
    expect(visitor.front.proxy.openStreams).toBe(1_000);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => visitor.front.proxy.openStreams, { timeout: 10_000 }).toBe(0);
  });
});
