import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Ask } from "./harness.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";

const PORT = 3000;

let visitor: Visitor;
let host: string;
let origin: string;
let cookie: string;

beforeEach(async () => {
  visitor = await startVisitor();
  const { front, row, sessionId } = visitor;
  ({ host, origin } = front.origins.workspace(row, PORT));
  cookie = `__Host-codehub_ws=${front.world.admit(row, sessionId, PORT)}`;
});
afterEach(() => visitor.stop());

const ask = (more: Ask = {}) => visitor.front.ask({ host, headers: { cookie, origin }, ...more });

async function upgrade(): Promise<string> {
  const socket = await visitor.front.socket();
  socket.write(handshake(host, { Origin: origin, Cookie: cookie }));
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}

describe("a port on a machine that others share", () => {
  test("is served while the same socket listens on it", async () => {
    const address = { ...visitor.echo.address, listener: "17" };
    visitor.front.world.ports.set(PORT, address);
    const body = "x".repeat(300_000);
    const answer = await ask({ method: "POST", body });
    expect([answer.status, JSON.parse(answer.body).bytes]).toEqual([200, body.length]);
    expect(await upgrade()).toMatch(/^HTTP\/1\.1 101 /);
  });

  describe("where somebody else has begun to listen between the look and the connection", () => {
    let thief: Server;
    let received: string;
    let guests: Socket[];

    beforeEach(async () => {
      received = "";
      guests = [];
      // He does not wait to be asked.
      thief = createServer((guest) => {
        guests.push(guest);
        guest
          .on("error", () => undefined)
          .on("data", (chunk) => {
            received += chunk;
          });
        guest.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nthief!");
      });
      await once(thief.listen(0, "127.0.0.1"), "listening");
      const { port } = thief.address() as AddressInfo;
      const { world } = visitor.front;
      let looks = 0;
      world.portAddress = async () => ({ kind: "tcp", host: "127.0.0.1", port, listener: String(looks++) });
    });
    afterEach(() => {
      for (const guest of guests) guest.destroy();
      thief.close();
    });

    test("he is sent nothing and nothing of his is shown", async () => {
      const answer = await ask({ method: "POST", body: "a secret" });
      expect(answer.status).toBe(502);
      expect(answer.body).not.toContain("thief");
      expect(await upgrade()).toMatch(/^HTTP\/1\.1 502 /);
      expect(guests.length).toBeGreaterThan(1);
      await Promise.all(guests.map((guest) => guest.closed || new Promise((gone) => guest.once("close", gone))));
      expect(received).toBe("");
    });
  });
});
