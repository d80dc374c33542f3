import { randomUUID } from "node:crypto";
import type { ApiError } from "@codehub/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MemoryBus } from "#adapters/memory/bus.ts";
import { createPool } from "#adapters/postgres/connection.ts";
import { PostgresNotificationSource } from "#adapters/postgres/notification-source.ts";
import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { PostgresCheckStore } from "#adapters/postgres/stores/check-store.ts";
import { PostgresKeyring } from "#adapters/postgres/stores/keyring.ts";
import { newKey } from "#adapters/secrets/key-file.ts";
import { FileSealer } from "#adapters/secrets/sealer.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { MOST_CHECKS } from "#core/checks/may-check.ts";
import { checkHints } from "#events/hints.ts";
import { ChangeListener } from "#events/listener.ts";
import { NotLeader } from "#ports/store.ts";
import { recordingLogger } from "../postgres/recording-logger.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

const key = newKey();
let database: TestDatabase;
let api: TestApi;
let ada: TestUser;
let root: TestUser;
let pool: ReturnType<typeof createPool>;
let leader: PostgresCheckStore;
let credential: string;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, key });
  [ada, root] = [await api.user("ada"), await api.user("root", "admin")];
  pool = createPool({ url: database.url, role: COORDINATOR_ROLE, max: 2, applicationName: "test checks" });
  const { rows } = await api.sql.query("UPDATE leader SET epoch = epoch + 1 RETURNING epoch::integer");
  leader = new PostgresCheckStore(pool, rows[0]?.epoch);
  await ada.client.makeSshKey();
  const body = { host: "git.example.com:8443", username: "ada", password: "kept-9e1f" };
  credential = (await ada.client.putCredential({ body })).id;
});
beforeEach(async () => void (await api.sql.query("DELETE FROM credential_checks")));
afterAll(async () => {
  await pool.end();
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const HTTPS = "https://git.example.com:8443/team/app";
const SSH = "git@git.example.com:team/app.git";
const ask = (address = HTTPS, credential_id: string | null = credential, user: TestUser = ada) =>
  user.client.testKey({ body: { credential_id, address } });
const find = (id: string, user: TestUser = ada) => user.client.getKeyTest({ params: { id } });

describe("a test of what a person keeps", () => {
  it("is asked by its owner, told by its state, and answered in words", async () => {
    const asked = await ask();
    expect(asked).toMatchObject({ host: "git.example.com:8443", state: "waiting", finished_at: null, result: null });
    expect((await leader.open()).checks).toMatchObject([
      { id: asked.id, userId: ada.id, kind: "https", host: "git.example.com:8443", state: "asked" },
    ]);
    expect([await leader.begin(asked.id), await leader.begin(asked.id)], "begun once").toEqual([true, false]);
    expect(await find(asked.id)).toMatchObject({ state: "running", result: null });
    await leader.finish(asked.id, { code: "credential_refused", fields: { host: "git.example.com:8443" } });
    await leader.finish(asked.id, { code: "interrupted" });
    const done = await find(asked.id);
    expect(done).toMatchObject({ state: "done", result: { works: false, code: "credential_refused" } });
    expect(done.result?.message).toBe(
      "git.example.com:8443 refused the saved credential. Save a new token for it, then try again.",
    );
    expect(done.finished_at).not.toBeNull();
    expect((await leader.open()).checks).toEqual([]);
    const again = await ask(SSH, null);
    await leader.finish(again.id, { code: "works", fields: { host: "git.example.com", branch: "main" } });
    const { result } = await find(again.id);
    expect(result).toMatchObject({ works: true, code: "works" });
    expect(result?.message).toBe(
      "It works: git.example.com lets you read this repository. Its default branch is main.",
    );
  });

  it("is heard of by who leads, through the database's trigger, the listener and the bus", async () => {
    const [bus, channels, stop] = [new MemoryBus(), { ssePrefix: "s:", wakePrefix: "w:" }, new AbortController()];
    const logger = recordingLogger();
    const source = new PostgresNotificationSource(database.url, logger);
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    const hints = checkHints(bus, channels).subscribe(resolve);
    const { promise: connected, resolve: isConnected } = Promise.withResolvers<void>();
    await bus.subscribe("s:all", () => isConnected());
    const listening = new ChangeListener({ source, bus, channels, clock: systemClock, logger }).run(stop.signal);
    await connected;
    await ask();
    await heard;
    hints.end();
    stop.abort();
    await listening;
  });

  it("is nobody else's, not an administrator's either", async () => {
    const { id } = await ask();
    expect(await refusal(find(id, root))).toBe("NOT_FOUND");
    expect(await refusal(ask(HTTPS, credential, root)), "whose credential it is").toBe("NOT_FOUND");
    expect(await refusal(ask(SSH, null, root)), "who has no key").toBe("NOT_FOUND");
    expect(await refusal(ask(HTTPS, randomUUID())), "which is none of hers").toBe("NOT_FOUND");
    expect(await refusal(find(randomUUID()))).toBe("NOT_FOUND");
  });

  it.each([
    ["another host", "https://git.example.org/team/app", "https", "VALIDATION_FAILED"],
    ["another port", "https://git.example.com/team/app", "https", "VALIDATION_FAILED"],
    ["ssh for a credential", SSH, "https", "VALIDATION_FAILED"],
    ["https for the SSH key", HTTPS, "ssh", "VALIDATION_FAILED"],
    ["a disk", "file:///etc/passwd", "ssh", "REPOSITORY_REFUSED"],
    ["a program", "ext::sh -c id", "https", "REPOSITORY_REFUSED"],
    ["a password", "https://ada:hunter22@git.example.com:8443/team/app", "https", "REPOSITORY_REFUSED"],
    ["an option", "ssh://-oProxyCommand=id/x", "ssh", "REPOSITORY_REFUSED"],
  ] as const)("is refused for %s", async (_, address, kind, code) => {
    const problem = await ask(address, kind === "ssh" ? null : credential).then(
      () => null,
      (error: ApiError) => error,
    );
    expect(problem?.code).toBe(code);
    expect(JSON.stringify(problem)).not.toContain("hunter22");
    expect((await leader.open()).checks).toEqual([]);
  });

  it("comes one after the other, and not too often", async () => {
    const answers = await Promise.allSettled([ask(), ask(), ask()]);
    const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as ApiError] : []));
    expect(refused.map(({ code, status }) => [code, status])).toEqual([
      ["KEY_TEST_UNDER_WAY", 409],
      ["KEY_TEST_UNDER_WAY", 409],
    ]);
    const finishAll = async () => {
      for (const { id } of (await leader.open()).checks) await leader.finish(id, { code: "interrupted" });
    };
    for (let count = 1; count < MOST_CHECKS; count += 1) {
      await finishAll();
      await ask();
    }
    await finishAll();
    const error = await ask().catch((problem: ApiError) => problem);
    expect(error).toMatchObject({ code: "TOO_MANY_KEY_TESTS", status: 429 });
    expect((error as ApiError).retryAfterSeconds).toBeGreaterThan(50);
    await api.sql.query("UPDATE credential_checks SET asked_at = asked_at - interval '1 minute'");
    await ask();
  });

  it("is on record, and has no value anywhere", async () => {
    const { id } = await ask();
    const { rows } = await api.sql.query("SELECT row_to_json(c)::text AS text FROM credential_checks c");
    const lines = await api.sql.query("SELECT row_to_json(e)::text AS text FROM workspace_events e");
    expect(lines.rows.map(({ text }) => text).join("\n")).toContain("credential_tested");
    expect(JSON.stringify([rows, lines.rows, await find(id)])).not.toContain("kept-9e1f");
  });

  it("is forgotten after its time, once it is answered", async () => {
    const { id } = await ask();
    await api.sql.query("UPDATE credential_checks SET asked_at = now() - interval '3 days'");
    await leader.forget(24 * 3_600_000);
    expect((await find(id)).state).toBe("waiting");
    await leader.finish(id, { code: "interrupted" });
    await leader.forget(24 * 3_600_000);
    expect((await find(id)).state).toBe("done");
    await api.sql.query("UPDATE credential_checks SET finished_at = now() - interval '25 hours'");
    await leader.forget(24 * 3_600_000);
    expect(await refusal(find(id))).toBe("NOT_FOUND");
  });

  it("is answered by who leads, and by nobody before", async () => {
    const { id } = await ask();
    await api.sql.query("UPDATE leader SET epoch = epoch + 1");
    await expect(leader.begin(id)).rejects.toThrow(NotLeader);
    await expect(leader.finish(id, { code: "works" })).rejects.toThrow(NotLeader);
    expect((await find(id)).state).toBe("waiting");
    await api.sql.query("UPDATE leader SET epoch = epoch - 1");
  });

  it("is nobody's once the account is disabled", async () => {
    const bob = await api.user("bob");
    await bob.client.makeSshKey();
    const { id } = await ask(SSH, null, bob);
    await root.client.updateUser({ params: { id: bob.id }, body: { disabled: true } });
    expect(await refusal(find(id, bob))).toBe("UNAUTHENTICATED");
    expect(await refusal(ask(SSH, null, bob))).toBe("UNAUTHENTICATED");
    const record = { id: randomUUID(), userId: bob.id, kind: "ssh", host: "h", cloneUrl: "git@h:x" } as const;
    expect(await api.deps.checks.ask(record, { kind: "user", userId: bob.id, address: null })).toBe("disabled");
  });

  it("opens what it is about, and leaves the rest closed", async () => {
    const keyring = new PostgresKeyring(pool, new FileSealer("/nonexistent/secrets.key", [key]));
    const ssh = await keyring.openOne(ada.id, { kind: "ssh" });
    expect([ssh.sshKey?.privateKey.includes("PRIVATE KEY"), ssh.credentials, ssh.locked]).toEqual([true, [], []]);
    const https = await keyring.openOne(ada.id, { kind: "https", host: "git.example.com:8443" });
    expect(https).toMatchObject({ sshKey: null, credentials: [{ password: "kept-9e1f" }] });
    const none = { sshKey: null, credentials: [], locked: [] };
    expect(await keyring.openOne(ada.id, { kind: "https", host: "git.example.com" })).toEqual(none);
    expect(await keyring.openOne(root.id, { kind: "ssh" })).toEqual(none);
  });
});
