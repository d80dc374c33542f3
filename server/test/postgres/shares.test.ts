import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { giveWorkspace } from "#adapters/postgres/queries/workspaces/give-workspace.ts";
import { count } from "#adapters/postgres/statement.ts";
import { PostgresAccountStore } from "#adapters/postgres/stores/account-store.ts";
import { PostgresShareStore } from "#adapters/postgres/stores/share-store.ts";
import type { Audience } from "#core/requests/sharing.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";

const HOUR = 3_600_000;
const system = { kind: "system", userId: null, address: null } as const;

let database: PostgresFixture;
let shares: PostgresShareStore;
let ownerId: string;
let workspaceId: string;

beforeAll(async () => {
  database = await openPostgres();
  shares = new PostgresShareStore(database.api);
});
afterAll(() => database.close());

beforeEach(async () => {
  ownerId = await database.owner();
  workspaceId = randomUUID();
  const words = { name: workspaceId, description: null, memo: null, imageRef: "image:1" };
  const draft = { id: workspaceId, ownerId, ...words, standbyTtlSeconds: null, archiveTtlSeconds: null };
  await database.requestStore.create({ ...draft, desiredState: "STANDBY" }, () => ({ refuse: null, events: [] }));
});

const by = (userId: string) => ({ userId, address: "192.0.2.7" });
const share = (port: number, audience: Audience = "users", lifetimeMs: number | null = null) =>
  shares.share({ workspaceId, port, audience, lifetimeMs }, by(ownerId), () => null);
const open = async () => (await shares.open([workspaceId, randomUUID()])).map(({ port, audience }) => [port, audience]);

test("a share is open until it is closed, and another takes its place", async () => {
  await share(3_000, "public", HOUR);
  await share(4_000);
  expect(await open()).toEqual([
    [3_000, "public"],
    [4_000, "users"],
  ]);
  const [first, second] = await shares.open([workspaceId]);
  expect((first?.expiresAt ?? 0) - (first?.createdAt ?? 0)).toBeGreaterThan(HOUR - 5_000);
  expect(second?.expiresAt).toBeNull();
  await share(3_000, "users");
  expect(await open()).toEqual([
    [3_000, "users"],
    [4_000, "users"],
  ]);
  expect(await shares.close(workspaceId, 3_000, by(ownerId))).toBe(true);
  expect(await shares.close(workspaceId, 3_000, by(ownerId))).toBe(false);
  expect(await open()).toEqual([[4_000, "users"]]);
});

test("what is refused is not written, by a rule that sees the workspace and all its shares", async () => {
  await share(3_000);
  const wish = { workspaceId, port: 4_000, audience: "users", lifetimeMs: null } as const;
  const seen: unknown[] = [];
  const refused = await shares.share(wish, by(ownerId), ({ workspace, shares: known }) => {
    seen.push(
      workspace?.ownerId,
      known.map(({ port }) => port),
    );
    return "no";
  });
  expect([refused, seen]).toEqual(["no", [ownerId, [3_000]]]);
  expect(await open()).toEqual([[3_000, "users"]]);
  const nobodys = await shares.share(
    { ...wish, workspaceId: randomUUID() },
    by(ownerId),
    ({ workspace }) => workspace ?? "none",
  );
  expect(nobodys).toBe("none");
});

test("one that expired is open to nobody, and goes when nobody can be inside any more", async () => {
  await share(3_000, "public", HOUR);
  await share(4_000, "public");
  const expire = (age: string) =>
    database.admin.query(`UPDATE port_shares SET expires_at = now() - interval '${age}' WHERE expires_at IS NOT NULL`);
  await expire("1 second");
  expect(await open()).toEqual([[4_000, "public"]]);
  expect(await shares.sweep()).toBe(0);
  expect(await shares.close(workspaceId, 3_000, by(ownerId))).toBe(false);
  await share(3_000, "public", HOUR);
  await expire("2 hours");
  expect(await shares.sweep()).toBe(1);
  expect(await open()).toEqual([[4_000, "public"]]);
});

test("deleting a workspace, giving it away and disabling its owner close them, and undoing any of it opens nothing", async () => {
  await share(3_000);
  const change = (write: object) =>
    database.requestStore.change(workspaceId, { countSlots: false }, () => ({ write, events: [], result: null }));
  await change({ desiredState: "DELETED", deletedAt: Date.now() });
  expect(await open()).toEqual([]);
  await change({ desiredState: "ARCHIVED", deletedAt: null });
  expect(await open()).toEqual([]);

  await share(3_000);
  const give = (id: string) => count(database.api, giveWorkspace, { id: workspaceId, ownerId: id });
  await give(await database.owner());
  expect(await open()).toEqual([]);
  await give(ownerId);
  expect(await open()).toEqual([]);

  await share(3_000);
  const accounts = new PostgresAccountStore(database.api);
  const other = { id: randomUUID(), username: "root", passwordHash: "x", role: "admin", mustChangePassword: false };
  await accounts.create({ ...other, role: "admin" }, system);
  await accounts.update(ownerId, { disabled: true }, system);
  expect(await open()).toEqual([]);
  await accounts.update(ownerId, { disabled: false }, system);
  expect(await open()).toEqual([]);
});

test("who shared and closed what is in the history, as the owner's doing or an administrator's", async () => {
  const admin = await database.owner();
  await share(3_000, "public", HOUR);
  await share(4_000, "users");
  await shares.close(workspaceId, 4_000, by(ownerId));
  await shares.close(workspaceId, 3_000, by(admin));
  const { rows } = await database.admin.query(
    "SELECT kind, actor_kind, actor_id, summary, details FROM workspace_events WHERE workspace_id = $1 ORDER BY id",
    [workspaceId],
  );
  expect(rows.map(({ kind, actor_kind, actor_id }) => [kind, actor_kind, actor_id])).toEqual([
    ["port_shared", "user", ownerId],
    ["port_shared", "user", ownerId],
    ["port_closed", "user", ownerId],
    ["port_closed", "admin", admin],
  ]);
  expect(rows.map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/^Port 3000 shared with everybody who has its address, until 2/),
    "Port 4000 shared with everybody who is signed in",
    "Port 4000 no longer shared",
    "Port 3000 no longer shared",
  ]);
  expect(rows[0]?.details).toMatchObject({
    code: "public",
    port: 3_000,
    until: expect.stringMatching(/Z$/),
    address: "192.0.2.7",
  });
});
