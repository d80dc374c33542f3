import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createLogger } from "#adapters/system/logger.ts";
import { readConfig } from "#config/config.ts";
import { requestLevel } from "#core/requests/requests.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { type RunningApp, startApp } from "../../src/compose/app.ts";
import { openPostgres, type PostgresFixture } from "../postgres/postgres-fixture.ts";

/** The whole program on one database, started with one data directory and then with another: every home seems gone. */
describe("another engine and another store", () => {
  let database: PostgresFixture;
  let scratch = "";
  let app: RunningApp | null = null;
  let ownerId = "";
  const start = async (dataDir: string): Promise<void> => {
    const environment = { PORT: "0", DATA_DIR: join(scratch, dataDir), RUNTIME: "process", DATABASE_URL: database.url };
    const config = readConfig(environment, { isRoot: process.getuid?.() === 0, homeDir: scratch });
    app = await startApp(config, createLogger({ level: "fatal", destination: process.stderr }));
  };
  const stop = async (): Promise<void> => {
    await app?.stop();
    app = null;
  };
  const create = async (name: string, desiredState: "STANDBY" | "ARCHIVED"): Promise<string> => {
    const id = randomUUID();
    const draft = {
      id,
      ownerId,
      name,
      description: null,
      memo: null,
      imageRef: "codehub/workspace:latest",
      desiredState,
    };
    const inherited = { standbyTtlSeconds: null, archiveTtlSeconds: null };
    await database.requestStore.create({ ...draft, ...inherited }, () => ({ refuse: null, events: [] }));
    return id;
  };
  const wish = async (id: string, level: "STANDBY" | "ARCHIVED"): Promise<void> => {
    const limits = { maxRunningPerUser: 9, maxRunningGlobal: 9 };
    await database.requestStore.change(id, { countSlots: true }, (facts) => requestLevel(facts, level, limits, "test"));
  };
  const read = async (id: string): Promise<Workspace> => {
    const row = await database.requestStore.read(id);
    if (row === null) throw new Error(`no workspace ${id}`);
    return row;
  };
  const until = (id: string, holds: (row: Workspace) => void): Promise<void> =>
    vi.waitFor(async () => holds(await read(id)), { timeout: 25_000, interval: 50 });
  const ready = async (): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${app?.url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };

  beforeAll(async () => {
    database = await openPostgres();
    ownerId = await database.owner();
    scratch = await mkdtemp(join(tmpdir(), "codehub-strangers-"));
    await chmod(scratch, 0o711);
  });
  afterAll(async () => {
    await stop();
    await database?.close();
    await rm(scratch, { recursive: true, force: true });
  });

  it("are not believed: nothing is gone, nothing is planned, it is said why, and ours go on where they were", {
    timeout: 120_000,
  }, async () => {
    await start("ours");
    const [onVolume, archived] = [await create("on a volume", "STANDBY"), await create("archived", "ARCHIVED")];
    await until(onVolume, (row) => expect(row).toMatchObject({ phase: "STANDBY", operation: "NONE" }));
    await until(archived, (row) => expect(row).toMatchObject({ phase: "ARCHIVED", operation: "NONE" }));
    expect((await ready()).status).toBe(200);
    await stop();

    await start("another");
    const fresh = await create("made meanwhile", "STANDBY");
    await wish(onVolume, "ARCHIVED");
    await wish(archived, "STANDBY");
    const unknown = (failure: string) => ({
      unknownSince: expect.any(Number),
      fields: { failure, found: expect.any(String), expected: expect.any(String) },
      message: "",
    });
    const engine = unknown("foreign_engine");
    const containers = { "infra.container_ready": engine, "infra.container_present": engine };
    await until(onVolume, ({ conditions }) =>
      expect(conditions).toMatchObject({ ...containers, "storage.volume_ready": { ...engine, status: true } }),
    );
    await until(archived, ({ conditions }) =>
      expect(conditions).toMatchObject({
        ...containers,
        "storage.archive_ready": { ...unknown("foreign_store"), status: true },
      }),
    );
    await until(fresh, ({ conditions }) => expect(conditions).toMatchObject(containers));
    expect(await read(onVolume)).toMatchObject({ phase: "STANDBY", operation: "NONE", errorReason: null });
    expect(await read(archived)).toMatchObject({ phase: "ARCHIVED", operation: "NONE", errorReason: null });
    expect(await read(fresh)).toMatchObject({ phase: "PENDING", operation: "NONE", errorReason: null });
    const told = await ready();
    expect(told.text).toMatch(/Another engine answers \(process .*Nothing is planned/);
    expect(told.text).toMatch(/Another archive store answers/);
    await stop();

    await start("ours");
    await until(onVolume, (row) => expect(row).toMatchObject({ phase: "ARCHIVED", operation: "NONE" }));
    await until(archived, (row) => expect(row).toMatchObject({ phase: "STANDBY", operation: "NONE" }));
    await until(fresh, (row) => expect(row).toMatchObject({ phase: "STANDBY", operation: "NONE" }));
    const { rows } = await database.admin.query("SELECT count(*)::int AS n FROM workspace_events WHERE kind = 'error'");
    expect(rows[0].n).toBe(0);
  });
});
