import { randomUUID } from "node:crypto";
import {
  desiredStates,
  eventSchemas,
  FullWorkspaceList,
  phases,
  type Workspace,
  WorkspaceList,
  type WorkspaceSummary,
} from "@codehub/contract";
import pg from "pg";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedList } from "../e2e/seed.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { openStream } from "./event-stream.ts";
import { browserFetch, refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

const KB = 1000;

let database: TestDatabase;
let api: TestApi;
let ada: TestUser;
let root: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url });
  ada = await api.user("ada");
  root = await api.user("root", "admin");
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await seedList(client, ada.id, 100);
  await client.end();
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

async function textOf(user: TestUser, query: string): Promise<string> {
  const answer = await browserFetch(api.origin, { cookie: user.cookie })(`${api.url}/api/v1/workspaces?${query}`, {});
  expect(answer.status).toBe(200);
  return answer.text();
}
const bytesOf = async (user: TestUser, query: string): Promise<number> =>
  Buffer.byteLength(await textOf(user, query), "utf8");

const problems = (schema: TSchema, value: unknown): unknown[] => [...Compile(schema).Errors(value)];

/** Every value of the summary with its path, to be looked for in the whole form. */
const leaves = (value: unknown, path: readonly string[] = []): [string, unknown][] =>
  typeof value === "object" && value !== null && path.at(-1) !== "fields"
    ? Object.entries(value).flatMap(([key, one]) => leaves(one, [...path, key]))
    : [[path.join("."), value]];
const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null)?.[key], value);

function expectSame(summary: WorkspaceSummary, whole: Workspace): void {
  for (const [path, value] of leaves(summary)) expect(at(whole, path), `${path} of ${whole.name}`).toEqual(value);
  expect(summary.next?.kind ?? "nothing", whole.name).toBe(whole.next.kind);
  for (const key of ["progress", "error", "deleted_at", "undelete_until", "home_bytes"] as const)
    expect(Object.hasOwn(summary, key), `${key} of ${whole.name}`).toBe(whole[key] !== null);
  expect(summary.purge ?? false).toBe(whole.purge);
  expect(summary.safety.last_verified_archive !== undefined).toBe(whole.safety.last_verified_archive !== null);
}

describe("a list of workspaces", () => {
  it("of a hundred fits into 60 kB, whoever's they are", async () => {
    expect(await bytesOf(ada, "limit=100")).toBeLessThanOrEqual(60 * KB);
    expect(await bytesOf(root, "limit=100&owner=all")).toBeLessThanOrEqual(60 * KB);
  });

  it("answers either view as it is described, and each as GET of the one does with view=full", async () => {
    const short = JSON.parse(await textOf(ada, "limit=100")) as WorkspaceList;
    expect(problems(WorkspaceList, short)).toEqual([]);
    expect(await textOf(ada, "limit=100&view=summary")).toBe(JSON.stringify(short));
    const full = JSON.parse(await textOf(ada, "limit=100&view=full")) as { items: Workspace[]; total: number };
    expect(problems(FullWorkspaceList, full)).toEqual([]);
    expect(full.items.map(({ id }) => id)).toEqual(short.items.map(({ id }) => id));
    expect([short.total, full.total]).toEqual([100, 100]);
    const [first] = full.items;
    const one = await ada.client.getWorkspace({ params: { id: first?.id ?? "" } });
    // What is counted from the present moment differs by the time between the two.
    const still = { next: expect.anything(), safety: expect.anything() };
    expect(one).toEqual({ ...first, ...still });
    expect(await refusal(ada.client.listWorkspaces({ query: { view: "tall" as "full" } }))).toBe("VALIDATION_FAILED");
  });

  it("tells whose the others are, and what only the image tells apart", async () => {
    const { items } = await root.client.listWorkspaces({ query: { owner: "all", limit: 100 } });
    expect(new Set(items.map((item) => item.owner?.username))).toEqual(new Set(["ada"]));
    const own = await ada.client.createWorkspace({ body: { name: "plain", desired_state: "ARCHIVED" } });
    const [newest] = (await ada.client.listWorkspaces({ query: { limit: 1 } })).items as WorkspaceSummary[];
    expect(newest).toMatchObject({ id: own.id, image_ref: own.image_ref });
    expect(newest).not.toHaveProperty("owner");
    expect(newest).not.toHaveProperty("description");
  });

  it("has the size of a home that has no archive yet, as it was counted last", async () => {
    const { id } = await ada.client.createWorkspace({ body: { name: "counted", desired_state: "STANDBY" } });
    const sizes = async () => [
      (await ada.client.listWorkspaces({ query: { q: "counted" } })).items[0]?.home_bytes ?? null,
      (await ada.client.getWorkspace({ params: { id } })).home_bytes,
    ];
    const count = (table: string, ago: string, bytes: number | null, more = "") =>
      api.sql.query(
        `INSERT INTO ${table} (workspace_id, at, home_bytes${more === "" ? "" : ", minutes"})
         VALUES ($1, now() - interval '${ago}', $2${more})`,
        [id, bytes],
      );
    await count("usage_hours", "2 days", 1_000, ", 60");
    // Of a home that is not there any more, or not yet.
    expect(await sizes()).toEqual([null, null]);
    await api.sql.query("UPDATE workspaces SET home_volume = 'v-counted' WHERE id = $1", [id]);
    expect(await sizes()).toEqual([1_000, 1_000]);
    await count("usage_minutes", "2 minutes", 2_000);
    await count("usage_minutes", "1 minute", null);
    // What is counted while it runs is known to lists within minutes, and at once when anything else happens to it.
    await ada.client.updateWorkspace({ params: { id }, body: { description: "changed" } });
    expect(await sizes()).toEqual([2_000, 2_000]);
  });

  it("tells the beginning of a long story, and GET all of it", async () => {
    const { id } = await ada.client.createWorkspace({ body: { name: "talkative", desired_state: "ARCHIVED" } });
    const message = `${"x".repeat(199)}😀${"y".repeat(5_000)}`;
    const info = { reason: "ActionFailed", message, operation: "STARTING", is_terminal: true, attempts: 1 };
    await api.sql.query(
      "UPDATE workspaces SET phase = 'ERROR', error_reason = 'ActionFailed', error_info = $2 WHERE id = $1",
      [id, JSON.stringify({ ...info, previous_phase: "STANDBY", occurred_at: "2026-11-16T10:00:00.000Z" })],
    );
    const [row] = (await ada.client.listWorkspaces({ query: { limit: 1, q: "talkative" } })).items;
    expect(row?.error?.detail).toBe(`${"x".repeat(199)}\uFFFD`);
    expect((await ada.client.getWorkspace({ params: { id } })).error?.detail).toBe(message);
  });
});

/** Rows of every kind, possible or not. */
async function everyKind(ownerId: string): Promise<number> {
  const seen = (status: boolean, more = {}) => ({
    ...{ status, reason: "r", fields: {}, message: "", last_transition_time: "2026-11-16T10:00:00.000Z", ...more },
  });
  const unknown = { unknown_since: "2026-11-16T10:00:00.000Z" };
  const containers = [seen(true), seen(false), seen(true, unknown)];
  const homes = [
    { home_volume: "v", archive_key: null, volume: seen(true) },
    { home_volume: "v", archive_key: null, volume: seen(false, { reason: "VolumeMissing" }) },
    { home_volume: null, archive_key: "k", volume: seen(false) },
    { home_volume: null, archive_key: null, volume: seen(false) },
    { home_volume: null, archive_key: "k", volume: seen(false) },
  ];
  const rows = phases.flatMap((phase) =>
    desiredStates.flatMap((desired) =>
      containers.flatMap((container) =>
        homes.map(({ volume, ...home }, index) => ({
          ...{ id: randomUUID(), phase, desired_state: desired, ...home },
          // Both are unique.
          home_volume: home.home_volume && randomUUID(),
          archive_key: home.archive_key && randomUUID(),
          name: `${phase} ${desired} ${JSON.stringify(container.status)} ${index}`,
          deleted_at: desired === "DELETED" ? "2026-11-16T10:00:00.000Z" : null,
          error_reason: phase === "ERROR" || container.status ? "ActionFailed" : null,
          request: index === 2 || index === 3 ? { version: 1, action: { kind: "restart" } } : null,
          request_done: index === 2 ? 1 : 0,
          next_attempt_at: index === 0 ? "2099-01-01T00:00:00.000Z" : null,
          home_ctx: { failed_wish: 1, exits: [] },
          conditions: {
            "storage.volume_ready": volume,
            "storage.archive_ready": seen(home.archive_key !== null, { checked_at: new Date().toISOString() }),
            "infra.container_present": container,
            "infra.container_ready": container,
          },
        })),
      ),
    ),
  );
  await api.sql.query(
    `INSERT INTO workspaces (id, owner_id, image_ref, phase, desired_state, home_volume, archive_key, name, deleted_at,
       error_reason, request, request_done, next_attempt_at, home_ctx, conditions)
     SELECT id, $1, 'i', phase, desired_state, home_volume, archive_key, name, deleted_at,
       error_reason, request, request_done, next_attempt_at, home_ctx, conditions
     FROM jsonb_to_recordset($2) AS r (id uuid, phase text, desired_state text, home_volume text, archive_key text,
       name text, deleted_at timestamptz, error_reason text, request jsonb, request_done bigint, next_attempt_at timestamptz, home_ctx jsonb,
       conditions jsonb)`,
    [ownerId, JSON.stringify(rows)],
  );
  return rows.length;
}

describe("a summary and the whole form", () => {
  it("say the same about every kind of row", async () => {
    const user = await api.user("every-kind");
    const made = await everyKind(user.id);
    let compared = 0;
    for (const trash of ["exclude", "only"] as const) {
      let cursor: string | undefined;
      do {
        const query = { limit: 100, trash, sort: "name" as const, ...(cursor === undefined ? {} : { cursor }) };
        const short = await user.client.listWorkspaces({ query });
        const full = (await user.client.listWorkspaces({ query: { ...query, view: "full" } })).items as Workspace[];
        for (const [index, whole] of full.entries()) expectSame(short.items[index] as WorkspaceSummary, whole);
        compared += full.length;
        cursor = short.next_cursor ?? undefined;
      } while (cursor !== undefined);
    }
    expect(compared).toBe(made);
  });

  it("come with the same rows from the event stream, as they are described", async () => {
    const stream = openStream(api, { cookie: ada.cookie });
    await stream.until(() => stream.workspaces.size >= 100);
    const snapshot = stream.events.find((event) => event.type === "snapshot");
    expect(problems(eventSchemas.snapshot, snapshot?.data)).toEqual([]);
    const [first] = (await ada.client.listWorkspaces({ query: { limit: 1, q: "payments" } })).items;
    const id = first?.id ?? "";
    const { version } = await ada.client.updateWorkspace({ params: { id }, body: { memo: "long ".repeat(100) } });
    await stream.until(() => stream.workspaces.get(id)?.version === version);
    const update = stream.events.findLast((event) => event.type === "workspace_updated");
    expect(problems(eventSchemas.workspace_updated, update?.data)).toEqual([]);
    expect(stream.text()).not.toContain("long long");
    expectSame(stream.workspaces.get(id) as WorkspaceSummary, await ada.client.getWorkspace({ params: { id } }));
    stream.close();
  });
});
