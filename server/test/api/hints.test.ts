import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createLogger } from "#adapters/system/logger.ts";
import { readConfig } from "#config/config.ts";
import { startApp } from "../../src/compose/app.ts";
import { openPostgres } from "../postgres/postgres-fixture.ts";
import { redisAvailable, startRedis } from "./redis-server.ts";

/** Nothing is polled for an hour, and a sweep does not see what has nothing yet: only a hint can explain an act. */
const HOUR = { COORDINATOR_IDLE_INTERVAL: "3600", COORDINATOR_ACTIVE_INTERVAL: "3600" };

async function actsOnHints(more: Record<string, string>): Promise<void> {
  const database = await openPostgres();
  const scratch = await mkdtemp(join(tmpdir(), "codehub-hints-"));
  await chmod(scratch, 0o711);
  const environment = { PORT: "0", DATA_DIR: join(scratch, "data"), RUNTIME: "process", DATABASE_URL: database.url };
  const config = readConfig(
    { ...environment, ...HOUR, ...more },
    { isRoot: process.getuid?.() === 0, homeDir: scratch },
  );
  const app = await startApp(config, createLogger({ level: "fatal", destination: process.stderr }));
  try {
    const ownerId = await database.owner();
    const make = async (): Promise<void> => {
      const id = randomUUID();
      const words = { name: id, description: null, memo: null, imageRef: "codehub/workspace:latest" };
      const draft = { id, ownerId, ...words, standbyTtlSeconds: null, archiveTtlSeconds: null };
      await database.requestStore.create({ ...draft, desiredState: "STANDBY" }, () => ({ refuse: null, events: [] }));
      const settled = { phase: "STANDBY", operation: "NONE" };
      await vi.waitFor(async () => expect(await database.requestStore.read(id)).toMatchObject(settled), {
        timeout: 20_000,
        interval: 50,
      });
    };
    // The first may have been found by whatever a new leader looks through; the others cannot.
    for (let at = 0; at < 3; at++) await make();
  } finally {
    await app.stop();
    await database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

describe("a wish reaches the coordinator as a hint, through the database's trigger, the listener and the bus", () => {
  it("in one process", { timeout: 90_000 }, () => actsOnHints({}));

  it.skipIf(!redisAvailable())("over Redis", { timeout: 90_000 }, async () => {
    await using redis = await startRedis();
    await actsOnHints({ REDIS_URL: redis.url });
  });
});
