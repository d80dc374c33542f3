import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "#supervise/free-port.ts";
import { admin, build, endWorkspaces, placeIde } from "../e2e/program.ts";
import { createUnmigratedDatabase } from "../postgres/with-database.ts";
import { caddyAvailable, startCaddy } from "./front.ts";
import { Person, slowly, type Tally } from "./people.ts";
import { behind, Replica } from "./replica.ts";

it.skipIf(!caddyAvailable())(
  "Caddy with the documentation's example lets pages, events, WebSockets and uploads pass",
  async () => {
    build();
    const directory = await mkdtemp(join(tmpdir(), "codehub-caddy-"));
    await chmod(directory, 0o711);
    await placeIde(directory);
    await using database = await createUnmigratedDatabase();
    const port = await freePort();
    await using front = await startCaddy([port]);
    const replica = new Replica({ ...behind(front, directory, database.url), PORT: String(port) });
    const over = new AbortController();
    try {
      await replica.start();
      const person = await Person.signIn(front, admin);
      const { id } = await person.start("behind Caddy");
      const tally: Tally = { answered: 0, reconnected: 0, failed: [] };
      const events = person.follow(over.signal, tally);
      await vi.waitUntil(() => events.held().has(id), { timeout: 20_000 });
      await person.api("PATCH", `/workspaces/${id}`, { name: "renamed" });
      await vi.waitUntil(() => events.held().get(id)?.name === "renamed", { timeout: 20_000 });
      const socket = await person.socket(id);
      expect(socket.readyState).toBe(WebSocket.OPEN);
      socket.terminate();
      expect(await person.askIde(id)).toBe(200);
      // Read to its end by the IDE, which has nothing to do with it.
      expect(await person.askIde(id, slowly(JSON.stringify({ text: "x".repeat(80_000) }), 200))).toBe(405);
      expect(tally.failed).toEqual([]);
    } finally {
      over.abort();
      await replica.stop();
      await endWorkspaces(directory);
      await rm(directory, { recursive: true, force: true });
    }
  },
);
