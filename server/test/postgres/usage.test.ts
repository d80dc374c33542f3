import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PostgresViews } from "#adapters/postgres/stores/views.ts";
import type { UsageSample } from "#core/rules/usage.ts";
import type { LeaderStore } from "#ports/store.ts";
import { draftOf } from "../suites/store-suite.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEPT = 90 * DAY;
const GIB = 1024 ** 3;
let database: PostgresFixture;
let leader: LeaderStore;
let views: PostgresViews;
let id: string;

beforeAll(async () => {
  database = await openPostgres();
  leader = await database.lead();
  views = new PostgresViews(database.api);
});
afterAll(() => database.close());

beforeEach(async () => {
  await database.admin.query("TRUNCATE usage_minutes, usage_hours");
  const draft = draftOf(await database.owner());
  await database.requestStore.create(draft, () => ({ refuse: null, events: [] }));
  id = draft.id;
});

const disk = { usedBytes: 30 * GIB, totalBytes: 100 * GIB, shared: true };
const sample = (more: Partial<UsageSample> = {}): UsageSample => ({
  ...{ workspaceId: id, cpuCores: 0.5, memoryBytes: 5 * GIB, homeBytes: 7, disk, missing: {} },
  ...more,
});
const counted = async (table: string): Promise<number> =>
  Number((await database.admin.query(`SELECT count(*) FROM ${table}`)).rows[0]?.count);
/** Minutes of a workspace that began so many minutes before the hour that ended so many hours ago. */
const minutes = (hoursAgo: number, each: readonly (number | null)[], of = id) =>
  database.admin.query(
    `INSERT INTO usage_minutes (workspace_id, at, cpu_cores, memory_bytes, home_bytes)
     SELECT $1, date_bin('1 hour', now(), 'epoch') - $2 * interval '1 hour' + (n - 1) * interval '1 minute', value, value, value
     FROM unnest($3::bigint[]) WITH ORDINALITY AS given (value, n)`,
    [of, hoursAgo, each],
  );

describe("a minute", () => {
  test("is written as it was, with what is missing and why", async () => {
    const other = randomUUID();
    const missing = { cpu: "soon", memory: "not_counted", home: "too_many_files", disk: "unanswered" } as const;
    const nothing = { cpuCores: null, memoryBytes: null, homeBytes: null, disk: null };
    await leader.saveUsage([sample(), sample({ workspaceId: other, ...nothing, missing })]);
    const { latest, points } = await views.usage(id, HOUR, 60_000);
    const figures = { cpuCores: 0.5, memoryBytes: 5 * GIB, homeBytes: 7, diskUsedBytes: 30 * GIB };
    expect(latest).toEqual({
      ...{ at: expect.any(Number), ...figures, diskTotalBytes: 100 * GIB, diskShared: true, missing: {} },
    });
    expect(Math.abs(Date.now() - (latest?.at ?? 0))).toBeLessThan(60_000);
    expect(points).toEqual([{ at: expect.any(Number), ...figures }]);
    expect((await views.usage(other, HOUR, 60_000)).latest).toMatchObject({ ...figuresOf(nothing), missing });
    expect(await views.usage(randomUUID(), HOUR, 60_000)).toEqual({ latest: null, points: [] });
  });

  test("tells zero from what is not known", async () => {
    await leader.saveUsage([sample({ cpuCores: 0, memoryBytes: null })]);
    expect((await views.usage(id, HOUR, 60_000)).latest).toMatchObject({ cpuCores: 0, memoryBytes: null });
  });

  test("of a home that is not counted just now leaves the size that was", async () => {
    await minutes(3, [111]);
    await leader.saveUsage([sample({ homeBytes: null, missing: { home: "soon" } })]);
    expect((await views.usage(id, HOUR, 60_000)).latest).toMatchObject({ homeBytes: 111, missing: { home: "soon" } });
  });
});

const figuresOf = ({ cpuCores, memoryBytes, homeBytes }: Omit<UsageSample, "workspaceId" | "disk" | "missing">) => ({
  cpuCores,
  memoryBytes,
  homeBytes,
});

describe("thinning", () => {
  test("makes one hour of its minutes a day later, and leaves the others", async () => {
    await minutes(30, [10, 40, null, 10]);
    await minutes(29, [5]);
    await minutes(24, [1, 2, 3]);
    await minutes(1, [9]);
    await leader.thinUsage(KEPT);
    const { rows } = await database.admin.query(
      `SELECT extract(epoch FROM date_bin('1 hour', now(), 'epoch') - at)::int / 3600 AS ago, minutes, cpu_cores AS cpu,
         memory_bytes::int AS memory, home_bytes::int AS home FROM usage_hours ORDER BY at`,
    );
    expect(rows).toEqual([
      { ago: 30, minutes: 4, cpu: 20, memory: 40, home: 10 },
      { ago: 29, minutes: 1, cpu: 5, memory: 5, home: 5 },
    ]);
    expect(await counted("usage_minutes")).toBe(4);
    await leader.thinUsage(KEPT);
    expect(await counted("usage_hours")).toBe(2);
  });

  test("loses no minute and counts none twice, however often it is interrupted and asked for again", async () => {
    const ids = Array.from({ length: 700 }, () => randomUUID());
    await database.admin.query(
      `INSERT INTO usage_minutes (workspace_id, at, cpu_cores)
       SELECT w, now() - interval '40 hours' + n * interval '17 minutes', 1 FROM unnest($1::uuid[]) AS w, generate_series(1, 20) AS n`,
      [ids],
    );
    await leader.thinUsage(KEPT);
    expect(await counted("usage_minutes")).toBe(200 * 20);
    await leader.thinUsage(KEPT);
    expect(await counted("usage_minutes")).toBe(0);
    const { rows } = await database.admin.query("SELECT sum(minutes)::int AS minutes FROM usage_hours");
    expect(rows[0]).toEqual({ minutes: 700 * 20 });
  });

  test("forgets hours after the days an operator keeps them", async () => {
    await minutes(24 * 91, [1]);
    await minutes(24 * 89, [2]);
    await leader.thinUsage(KEPT);
    expect(await counted("usage_hours")).toBe(1);
    await leader.thinUsage(30 * DAY);
    expect(await counted("usage_hours")).toBe(0);
  });

  test("leaves nothing of a workspace that is gone for good, and all of one in the trash", async () => {
    const trashed = draftOf(await database.owner());
    await database.requestStore.create(trashed, () => ({ refuse: null, events: [] }));
    for (const one of [id, trashed.id]) {
      await minutes(30, [1], one);
      await leader.thinUsage(KEPT);
      await minutes(1, [1], one);
    }
    const write = { desiredState: "DELETED", deletedAt: Date.now() } as const;
    const change = (of: string, purge: boolean) =>
      database.requestStore.change(of, { countSlots: false }, () => ({
        write: { ...write, purge },
        events: [],
        result: null,
      }));
    await change(id, true);
    await change(trashed.id, false);
    await leader.forgetUsageOfDeleted();
    for (const table of ["usage_minutes", "usage_hours"]) {
      const { rows } = await database.admin.query(`SELECT workspace_id AS id FROM ${table}`);
      expect(rows).toEqual([{ id: trashed.id }]);
    }
  });
});

test("a month is made of hours and of the last day's minutes, in steps, each minute with the same weight", async () => {
  await minutes(30, [4, 4, 4, 4]);
  await minutes(29, [8]);
  await leader.thinUsage(KEPT);
  await minutes(2, [2, 6]);
  const whole = await views.usage(id, 30 * DAY, 10_000 * DAY);
  expect(whole.points).toMatchObject([{ memoryBytes: 8, homeBytes: 6 }]);
  expect(whole.points[0]?.cpuCores).toBeCloseTo((4 * 4 + 8 + 2 + 6) / 7, 5);
  const fine = await views.usage(id, 30 * DAY, HOUR);
  expect(fine.points.map(({ cpuCores, memoryBytes }) => [cpuCores, memoryBytes])).toEqual([
    [4, 4],
    [8, 8],
    [4, 6],
  ]);
  expect((await views.usage(id, DAY, HOUR)).points).toHaveLength(1);
});
