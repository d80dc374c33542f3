import { afterEach, beforeEach, expect, test } from "vitest";
import { PostgresBus } from "#adapters/postgres/bus.ts";
import { PostgresNotificationSource } from "#adapters/postgres/notification-source.ts";
import { API_ROLE } from "#adapters/postgres/roles.ts";
import { PostgresActivityBuffer } from "#adapters/postgres/stores/activity-buffer.ts";
import { activitySuite } from "../suites/activity.ts";
import { busSuite, collector } from "../suites/bus.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";
import { recordingLogger } from "./recording-logger.ts";

/** The loss that is announced when the first connection stands doubles as "connected". */
async function connected({ api, url }: PostgresFixture): Promise<PostgresBus> {
  const bus = new PostgresBus({ pool: api, source: new PostgresNotificationSource(url, recordingLogger(), API_ROLE) });
  await new Promise<void>((resolve) => bus.onLoss(resolve));
  return bus;
}

busSuite("PostgreSQL", async () => {
  const database = await openPostgres();
  const [bus, other] = await Promise.all([connected(database), connected(database)]);
  const close = async () => {
    await Promise.all([bus.close(), other.close()]);
    await database.close();
  };
  return { bus, other, close };
});

activitySuite("PostgreSQL", async () => {
  const database = await openPostgres();
  return { buffer: new PostgresActivityBuffer(database.api), close: () => database.close() };
});

let database: PostgresFixture;
let bus: PostgresBus;
beforeEach(async () => {
  database = await openPostgres();
  bus = await connected(database);
});
afterEach(async () => {
  await bus.close();
  await database.close();
});

test("announces a loss after its connection was cut, and delivers again; meanwhile it says so", async () => {
  const before = collector(1);
  await bus.subscribe("c", before.handler);
  await bus.publish("c", "before");
  await before.done;

  const lost = new Promise<boolean>((resolve) => bus.onLoss(() => resolve(bus.health().ok)));
  const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'codehub listener'";
  await database.admin.query(`${cut} AND datname = current_database()`);
  await expect.poll(() => bus.health().ok, { interval: 1 }).toBe(false);
  const during = collector(1);
  await bus.subscribe("d", during.handler);
  expect(await lost).toBe(true);
  await bus.publish("d", "after");
  expect(await during.done).toEqual(["after"]);
});

test("a message that the database does not take is refused", async () => {
  await expect(bus.publish("c", "x".repeat(8_000))).rejects.toThrow("payload string too long");
});

test("what others notify there is nobody's message, and harms nothing", async () => {
  const heard = collector(1);
  await bus.subscribe("c", heard.handler);
  for (const payload of ["", "{", "null", "7", '["c"]', '["c", 7]'])
    await database.admin.query("SELECT pg_notify('codehub_bus', $1)", [payload]);
  await bus.publish("c", "ours");
  expect(await heard.done).toEqual(["ours"]);
});
