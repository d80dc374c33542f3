import { once } from "node:events";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryActivityBuffer } from "#adapters/memory/activity.ts";
import { MemoryBus } from "#adapters/memory/bus.ts";
import { RedisActivityBuffer } from "#adapters/redis/activity.ts";
import { RedisBus } from "#adapters/redis/bus.ts";
import { activitySuite } from "../suites/activity.ts";
import { busSuite, collector } from "../suites/bus.ts";
import { type RedisServer, redisAvailable, startRedis } from "./redis-server.ts";

busSuite("in process", async () => {
  const bus = new MemoryBus();
  return { bus, other: bus, close: () => bus.close() };
});
activitySuite("in process", async () => ({ buffer: new MemoryActivityBuffer(), close: async () => undefined }));

describe.skipIf(!redisAvailable())("with a real Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });
  const settings = () => ({ url: server.url, onError: () => undefined });
  /** The loss that is announced when the first connection stands doubles as "connected". */
  const connected = async (): Promise<RedisBus> => {
    const bus = new RedisBus(settings());
    const { promise, resolve } = Promise.withResolvers<void>();
    bus.onLoss(resolve);
    await promise;
    while (!bus.health().ok) await new Promise((done) => setImmediate(done));
    return bus;
  };

  busSuite("Redis", async () => {
    const [bus, other] = await Promise.all([connected(), connected()]);
    return { bus, other, close: async () => void (await Promise.all([bus.close(), other.close()])) };
  });

  activitySuite("Redis", async () => {
    const admin = new Redis(server.url);
    await admin.flushall();
    admin.disconnect();
    const buffer = new RedisActivityBuffer(settings());
    await buffer.ready();
    return { buffer, close: () => buffer.close() };
  });

  it("announces a loss after Redis was killed and delivers again; publishing meanwhile is refused", async () => {
    const bus = await connected();
    const before = collector(1);
    await bus.subscribe("c", before.handler);
    await bus.publish("c", "before");
    await before.done;

    await server.kill();
    await expect(bus.publish("c", "lost")).rejects.toThrow();
    const during = collector(1);
    // A subscription made while Redis is away begins with the same announcement.
    await bus.subscribe("d", during.handler);
    const lost = new Promise<void>((resolve) => bus.onLoss(resolve));
    await server.start();
    await lost;
    while (!bus.health().ok) await new Promise((done) => setImmediate(done));
    const after = collector(1);
    await bus.subscribe("c", after.handler);
    await bus.publish("c", "after");
    await bus.publish("d", "d");
    expect(await after.done).toEqual(["after"]);
    expect(await during.done).toEqual(["d"]);
    await bus.close();
  });

  it("stores activity under the documented key, where an operator can look at it", async () => {
    const buffer = new RedisActivityBuffer(settings());
    await buffer.ready();
    await buffer.record("proxy", 5, [{ workspaceId: "w", at: 7 }]);
    const admin = new Redis(server.url);
    await once(admin, "ready");
    expect(await admin.zscore("codehub:activity", "w")).toBe("7");
    admin.disconnect();
    await buffer.close();
  });
});
