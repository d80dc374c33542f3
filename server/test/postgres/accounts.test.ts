import { createHash, randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PostgresAccountStore } from "#adapters/postgres/stores/account-store.ts";
import { PostgresHandoverStore } from "#adapters/postgres/stores/handover-store.ts";
import { PostgresSessionStore } from "#adapters/postgres/stores/session-store.ts";
import { PostgresThrottleStore } from "#adapters/postgres/stores/throttle-store.ts";
import { PostgresTokenStore } from "#adapters/postgres/stores/token-store.ts";
import { PostgresViews } from "#adapters/postgres/stores/views.ts";
import type { Account, SessionRecord } from "#ports/accounts.ts";
import { EVERY_EVENT } from "#ports/views.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";

let database: PostgresFixture;
let accounts: PostgresAccountStore;
let sessions: PostgresSessionStore;
let tokens: PostgresTokenStore;
let handovers: PostgresHandoverStore;
let throttle: PostgresThrottleStore;
const system = { kind: "system", userId: null, address: null } as const;

beforeAll(async () => {
  database = await openPostgres();
  accounts = new PostgresAccountStore(database.api);
  sessions = new PostgresSessionStore(database.api);
  tokens = new PostgresTokenStore(database.api);
  handovers = new PostgresHandoverStore(database.api);
  throttle = new PostgresThrottleStore(database.api);
});
afterAll(() => database.close());

const hash = (): Uint8Array => createHash("sha256").update(randomBytes(16)).digest();

async function account(role: Account["role"] = "user"): Promise<Account> {
  const username = `u-${randomBytes(5).toString("hex")}`;
  const fresh = { id: randomUUID(), username, passwordHash: "h", role, mustChangePassword: false };
  const made = await accounts.create(fresh, system);
  if (made === null) throw new Error("the name is taken");
  return made;
}

const from = { passwordHash: "h", address: "192.0.2.1", userAgent: "test" };

async function openSession(userId: string, tokenHash = hash(), lifetimeMs = 60_000): Promise<SessionRecord> {
  const opened = await sessions.open({ ...from, tokenHash, userId, lifetimeMs }, null);
  if (opened === null) throw new Error("the password is another one");
  return opened;
}

/** Asked for with a session of the same user. */
const tokenOf = ({ account: { id: userId }, sessionId }: SessionRecord, tokenHash = hash()) => ({
  id: randomUUID(),
  userId,
  sessionId,
  name: "cli",
  tokenHash,
  lifetimeMs: null,
});

test("a name is given once", async () => {
  const first = await account();
  const second = {
    id: randomUUID(),
    username: first.username,
    passwordHash: "h",
    role: "user",
    mustChangePassword: true,
  };
  expect(await accounts.create({ ...second, role: "user" }, system)).toBeNull();
  expect((await accounts.findForLogin(first.username))?.account).toEqual(first);
});

test("of two administrators that lose the role at once one stays", async () => {
  const [one, two] = await Promise.all([account("admin"), account("admin")]);
  for (const other of await accounts.list()) {
    if (other.role === "admin" && other.id !== one.id && other.id !== two.id) {
      await accounts.update(other.id, { role: "user" }, system);
    }
  }
  const outcomes = await Promise.all([
    accounts.update(one.id, { role: "user" }, system),
    accounts.update(two.id, { disabled: true }, system),
  ]);
  expect(outcomes.filter((outcome) => outcome === "last_admin")).toHaveLength(1);
});

test("disabling ends sessions and tokens at once, and a second time moves nothing", async () => {
  await account("admin");
  const user = await account();
  const [cookie, secret] = [hash(), hash()];
  const session = await openSession(user.id, cookie);
  const token = tokenOf(session, secret);
  await tokens.create(token, 5, system);
  expect((await sessions.find(cookie))?.account.id).toBe(user.id);
  expect((await tokens.find(secret))?.tokenId).toBe(token.id);
  const disabled = await accounts.update(user.id, { disabled: true }, system);
  expect([await sessions.find(cookie), await tokens.find(secret)]).toEqual([null, null]);
  expect(await sessions.alive([session.sessionId])).toEqual(new Set());
  expect(await tokens.alive([token.id])).toEqual(new Set());
  expect(await accounts.update(user.id, { disabled: true }, system)).toEqual(disabled);
  const enabled = await accounts.update(user.id, { disabled: false }, system);
  expect(enabled).toMatchObject({ disabledAt: null });
  expect(await tokens.find(secret)).toBeNull();
});

test("a sign-in replaces the session that was there; an expired one is none", async () => {
  const user = await account();
  const [old, fresh, brief] = [hash(), hash(), hash()];
  await openSession(user.id, old);
  await sessions.open({ ...from, tokenHash: fresh, userId: user.id, lifetimeMs: 60_000 }, old);
  await openSession(user.id, brief, -1);
  expect([await sessions.find(old), await sessions.find(brief)]).toEqual([null, null]);
  expect((await sessions.find(fresh))?.account.lastLoginAt).not.toBeNull();
  expect(await sessions.sweep()).toBeGreaterThanOrEqual(1);
});

test("a new password ends every session, and tokens only when it says so", async () => {
  const user = await account();
  const [cookie, secret] = [hash(), hash()];
  await tokens.create(tokenOf(await openSession(user.id, cookie), secret), 5, system);
  const own = { passwordHash: "h2", replaces: null, mustChangePassword: false, endTokens: false };
  await accounts.setPassword(user.id, own, system);
  expect([await sessions.find(cookie), (await tokens.find(secret)) !== null]).toEqual([null, true]);
  await accounts.setPassword(user.id, { ...own, endTokens: true }, system);
  expect(await tokens.find(secret)).toBeNull();
  expect(await accounts.passwordHashOf(user.id)).toBe("h2");
});

test("what was begun with the old password is not finished once there is a new one", async () => {
  const user = await account();
  const session = await openSession(user.id);
  const own = { passwordHash: "h2", replaces: "h", mustChangePassword: false, endTokens: true };
  expect(await accounts.setPassword(user.id, own, system)).not.toBeNull();
  const late = { ...from, tokenHash: hash(), userId: user.id, lifetimeMs: 60_000 };
  expect(await sessions.open(late, null)).toBeNull();
  expect(await tokens.create(tokenOf(session), 5, system)).toBe("session_ended");
  expect(await accounts.setPassword(user.id, { ...own, passwordHash: "h3" }, system)).toBeNull();
  expect(await accounts.rehash(user.id, "h", "h, renewed")).toBe(false);
  expect(await accounts.passwordHashOf(user.id)).toBe("h2");
  expect(await accounts.rehash(user.id, "h2", "h2, renewed")).toBe(true);
  expect(await sessions.open({ ...late, passwordHash: "h2, renewed" }, null)).not.toBeNull();
});

test("nobody signs in to an account that was disabled since the password was checked", async () => {
  await account("admin");
  const user = await account();
  await accounts.update(user.id, { disabled: true }, system);
  expect(await sessions.open({ ...from, tokenHash: hash(), userId: user.id, lifetimeMs: 60_000 }, null)).toBeNull();
});

test("tokens are as many as allowed, also when asked for at once; they expire; only the owner revokes them", async () => {
  const user = await account();
  const session = await openSession(user.id);
  const made = await Promise.all(Array.from({ length: 6 }, () => tokens.create(tokenOf(session), 3, system)));
  expect(made.filter((token) => token === "too_many")).toHaveLength(3);
  expect(await tokens.list(user.id)).toHaveLength(3);
  const id = (await tokens.list(user.id))[0]?.id ?? "";
  expect(await tokens.remove(randomUUID(), id, system)).toBe(false);
  expect(await tokens.remove(user.id, id, system)).toBe(true);
  const expired = hash();
  await tokens.create({ ...tokenOf(session, expired), lifetimeMs: -1 }, 9, system);
  expect(await tokens.find(expired)).toBeNull();
});

async function handOver(session: SessionRecord, lifetimeMs = 30_000) {
  const codeHash = hash();
  const expected = { stateHash: hash(), workspaceId: randomUUID(), port: null, host: "h.localhost" };
  const issued = await handovers.issue({
    ...expected,
    codeHash,
    sessionId: session.sessionId,
    userId: session.account.id,
    lifetimeMs,
  });
  return { issued, codeHash, expected };
}

test("a code works once, for whoever asked for it, and a logout ends what it opened", async () => {
  const user = await account();
  const session = await openSession(user.id);
  const { codeHash, expected } = await handOver(session);
  const cookie = { tokenHash: hash(), lifetimeMs: 8 * 3_600_000 };
  const racing = await Promise.all([
    handovers.redeem(codeHash, expected, cookie),
    handovers.redeem(codeHash, expected, { ...cookie, tokenHash: hash() }),
  ]);
  expect(racing.filter((opened) => opened !== null)).toHaveLength(1);
  const opened = racing.find((candidate) => candidate !== null);
  expect(opened).toMatchObject({ userId: user.id, workspaceId: expected.workspaceId, port: null });
  expect(opened?.expiresAt).toBe(session.expiresAt);
  const found = await handovers.findWorkspaceSession(cookie.tokenHash);
  if (racing[0] !== null) expect(found).toEqual(opened);
  expect(await sessions.find(cookie.tokenHash)).toBeNull();
  expect(await sessions.end(session.sessionId, system)).toBe(2);
  expect(await handovers.findWorkspaceSession(cookie.tokenHash)).toBeNull();
  expect(await sessions.alive([opened?.sessionId ?? ""])).toEqual(new Set());
});

test.each([
  ["state", { stateHash: createHash("sha256").update("other").digest() }],
  ["port", { port: 3_000 }],
  ["host", { host: "other.localhost" }],
])("a code with another %s is refused and used up", async (_what, wrong) => {
  const session = await openSession((await account()).id);
  const { codeHash, expected } = await handOver(session);
  const cookie = { tokenHash: hash(), lifetimeMs: 60_000 };
  expect(await handovers.redeem(codeHash, { ...expected, ...wrong }, cookie)).toBeNull();
  expect(await handovers.redeem(codeHash, expected, cookie)).toBeNull();
});

test("no code from a session that is over, and none that is too old", async () => {
  const session = await openSession((await account()).id);
  const { codeHash, expected } = await handOver(session, -1);
  expect(await handovers.redeem(codeHash, expected, { tokenHash: hash(), lifetimeMs: 60_000 })).toBeNull();
  await sessions.end(session.sessionId, system);
  expect((await handOver(session)).issued).toBe(false);
});

test("whoever must change the password opens no workspace, and what was open ends", async () => {
  const user = await account();
  const session = await openSession(user.id);
  const secret = hash();
  const token = tokenOf(session, secret);
  await tokens.create(token, 5, system);
  const before = await handOver(session);
  const unused = await handOver(session);
  const cookie = { tokenHash: hash(), lifetimeMs: 60_000 };
  const opened = await handovers.redeem(before.codeHash, before.expected, cookie);
  expect(await sessions.alive([session.sessionId, opened?.sessionId ?? ""])).toHaveProperty("size", 2);
  await database.admin.query("UPDATE users SET must_change_password = true WHERE id = $1", [user.id]);
  expect(await handovers.findWorkspaceSession(cookie.tokenHash)).toBeNull();
  expect(await sessions.alive([session.sessionId, opened?.sessionId ?? ""])).toEqual(new Set());
  expect(await tokens.alive([token.id])).toEqual(new Set());
  expect((await handOver(session)).issued).toBe(false);
  expect(await handovers.redeem(unused.codeHash, unused.expected, { ...cookie, tokenHash: hash() })).toBeNull();
});

test("failures at the same moment are all counted, whatever the order of the keys", async () => {
  const keys = [
    { scope: "account", subject: randomUUID() },
    { scope: "address", subject: randomUUID() },
  ] as const;
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      throttle.decide(index % 2 === 0 ? keys : [...keys].reverse(), (states, now) => ({
        next: states.map((state) => ({
          failures: (state?.failures ?? 0) + 1,
          firstFailureAt: state?.firstFailureAt ?? now,
          lastFailureAt: now,
          blockedUntil: null,
        })),
        result: null,
      })),
    ),
  );
  const read = () => throttle.decide(keys, (states) => ({ next: [null, null], result: states }));
  expect((await read()).map((state) => state?.failures)).toEqual([30, 30]);
  await throttle.clear([keys[0]]);
  expect((await read()).map((state) => state?.failures)).toEqual([undefined, 30]);
  expect(await throttle.sweep(-1_000)).toBeGreaterThanOrEqual(1);
});

test("the audit log tells sign-ins by address, and never a name that is no account's", async () => {
  const user = await account();
  await openSession(user.id);
  expect(await throttle.knownAddress(user.username, "192.0.2.1", 60_000)).toBe(true);
  expect(await throttle.knownAddress(user.username, "192.0.2.2", 60_000)).toBe(false);
  await throttle.noteFailure("hunter2-typed-as-a-name", "192.0.2.3", "wrong");
  await throttle.noteFailure(user.username, "192.0.2.3", "throttled");
  const views = new PostgresViews(database.api);
  const first = { ...EVERY_EVENT, before: null, skip: 0, limit: 9 };
  const failed = await views.events({ ...first, kind: "login_failed" });
  expect(JSON.stringify(failed.items)).not.toContain("hunter2");
  const throttled = await views.events({ ...first, kind: "login_throttled" });
  expect(throttled.items[0]?.details).toMatchObject({ username: user.username, address: "192.0.2.3" });
});
