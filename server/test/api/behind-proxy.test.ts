import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPassOn } from "#proxy/door/pass-on.ts";
import { listenOnSocket } from "../../src/compose/control-socket.ts";
import { createTestDatabase } from "../postgres/with-database.ts";
import { startFront } from "../proxy/harness.ts";
import { startApi } from "./harness.ts";

test("through our own proxy the API refuses what it refuses directly, and knows where a request comes from", async () => {
  const directory = await mkdtemp(join(tmpdir(), "codehub-behind-"));
  await using database = await createTestDatabase();
  await using api = await startApi({
    databaseUrl: database.url,
    listens: false,
    settings: { behindOwnProxy: true, trustedProxies: [] },
  });
  const socketPath = join(directory, "socket");
  const control = await listenOnSocket(api.app.routing, socketPath, () => undefined);
  const passOn = createPassOn({ socketPath, metrics: async () => "" });
  const front = await startFront({ baseUrl: api.origin, dashboard: passOn.request });
  try {
    const ask = (path: string, headers: Record<string, string>, body: string) =>
      front.ask({
        host: new URL(api.origin).host,
        method: "POST",
        path,
        headers: { origin: api.origin, ...headers },
        body,
      });
    const json = { "content-type": "application/json" };
    // Larger than the API reads, so that it answers while more is to come.
    for (let round = 0; round < 5; round += 1) {
      const large = await ask("/api/v1/auth/login", json, JSON.stringify({ username: "x".repeat(3_000_000) }));
      expect([large.status, JSON.parse(large.body).error.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    }
    const wrong = JSON.stringify({ username: "nobody", password: "a wrong password" });
    const login = await ask("/api/v1/auth/login", { ...json, "x-forwarded-for": "198.51.100.1" }, wrong);
    expect(login.status).toBe(401);
    const counted = "SELECT subject FROM login_throttle WHERE scope = 'address'";
    const { rows } = await api.sql.query<{ subject: string }>(counted);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.subject).toContain("127.0.0.1");
  } finally {
    await front.stop();
    passOn.close();
    await control.close();
    await rm(directory, { recursive: true });
  }
});
