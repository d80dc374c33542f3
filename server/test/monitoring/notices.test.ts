import { noticeText } from "@codehub/contract/words";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { signatureOf, webhookChannel } from "#adapters/notices/webhook.ts";
import { createPool } from "#adapters/postgres/connection.ts";
import { API_ROLE, COORDINATOR_ROLE, type DatabaseRole } from "#adapters/postgres/roles.ts";
import { PostgresNoticeStore, readAttention } from "#adapters/postgres/stores/notice-store.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { runNotices } from "#coordinator/notices.ts";
import type { Notice } from "#ports/notices.ts";
import { NotLeader } from "#ports/store.ts";
import { dataDirectory, removeAll, type Stage, startStage } from "../cli/stage.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { type MailReceiver, startMailReceiver, startWebhookReceiver, type WebhookReceiver } from "./receivers.ts";

const SECRETS = {
  METRICS_TOKEN: "canary-metrics-token",
  NOTICE_WEBHOOK_TOKEN: "canary-webhook-token",
  NOTICE_WEBHOOK_SECRET: "canary-webhook-secret",
};

interface Told {
  readonly id: string;
  readonly state: string;
  readonly code: string;
  readonly text: string;
  readonly action: string | null;
  readonly link: string;
}

describe("the whole program", () => {
  let database: TestDatabase;
  let sql: pg.Pool;
  let dataDir: string;
  let webhook: WebhookReceiver;
  let mail: MailReceiver;
  let stage: Stage;
  const start = (): Promise<Stage> =>
    startStage(dataDir, async () => database.url, {
      ...SECRETS,
      DATABASE_URL: database.url,
      NOTICE_WEBHOOK_URL: webhook.url,
      SMTP_URL: `smtp://mina:canary-mail-password@127.0.0.1:${mail.port}`,
      NOTICE_MAIL_FROM: "CodeHub <codehub@example.org>",
      NOTICE_MAIL_TO: "ops@example.org,second@example.org",
      NOTICE_AFTER_SECONDS: "1",
    });
  beforeAll(async () => {
    database = await createTestDatabase();
    sql = new pg.Pool({ connectionString: database.url, max: 1 });
    dataDir = await dataDirectory();
    [webhook, mail] = [await startWebhookReceiver(), await startMailReceiver()];
    stage = await start();
  });
  afterAll(async () => {
    await stage?.stop();
    await webhook?.[Symbol.asyncDispose]();
    await mail?.[Symbol.asyncDispose]();
    await sql?.end();
    await database?.drop();
    await removeAll(dataDir);
  });

  const told = (code: string): Told[] =>
    webhook.posted.flatMap(({ body }) => (JSON.parse(body).notices as Told[]).filter((one) => one.code === code));
  const mailed = (words: string): number => mail.mails.filter(({ text }) => text.includes(words)).length;
  const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 30_000, interval: 100 });
  const pause = (reason: string | null): Promise<unknown> =>
    sql.query(
      "UPDATE deployment SET gc_quarantined_at = CASE WHEN $1::text IS NULL THEN NULL ELSE now() END, gc_quarantine_reason = $1",
      [reason],
    );

  test("tells once what newly needs attention, also over a restart, and once that it is over; by webhook and by mail", async () => {
    await pause("The planted reason.");
    await until(() => expect([told("collection_paused").length, mailed("The planted reason.")]).toEqual([1, 1]));
    const [begun] = told("collection_paused");
    expect(begun).toMatchObject({
      state: "begun",
      text: "Nothing is removed from the archive store: The planted reason.",
      action: expect.stringContaining("resume it on the admin page"),
      link: `${stage.url}/admin#collection`,
    });
    await stage.stop();
    stage = await start();
    const { id } = await stage.api.createWorkspace({ body: { name: "broken", desired_state: "ARCHIVED" } });
    await stage.reaches(id, "ARCHIVED");
    await removeAll(`${dataDir}/archives/${id}`);
    await stage.api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
    await until(() => expect([told("workspace_error").length, mailed("broken of mina is in ERROR")]).toEqual([1, 1]));
    expect(told("workspace_error")[0]?.link).toBe(`${stage.url}/workspaces/${id}`);
    // Looked at several times since, by another process than the one that told it.
    expect([told("collection_paused").length, mailed("The planted reason.")]).toEqual([1, 1]);
    await pause(null);
    await until(() => expect(told("collection_paused").map(({ state }) => state)).toEqual(["begun", "over"]));
    await until(() => expect(mailed("Over: Nothing is removed")).toBe(1));
    expect(told("collection_paused")[1]).toMatchObject({ id: begun?.id, action: null });
    expect(mail.mails[0]).toMatchObject({
      from: "codehub@example.org",
      to: ["ops@example.org", "second@example.org"],
      login: "mina\0canary-mail-password",
    });
  });

  test("says who it is and signs what it says; no secret is in it", () => {
    const [{ headers, body } = { headers: {}, body: "" }] = webhook.posted;
    expect(headers["authorization"]).toBe(`Bearer ${SECRETS.NOTICE_WEBHOOK_TOKEN}`);
    const signature = String(headers["x-codehub-signature"]);
    const [, seconds = ""] = /^t=(\d+),/.exec(signature) ?? [];
    expect(signature).toBe(signatureOf(SECRETS.NOTICE_WEBHOOK_SECRET, Number(seconds), body));
    const everything = [...webhook.posted.map((one) => one.body), ...mail.mails.map(({ text }) => text)].join("\n");
    expect(everything).not.toContain("canary");
  });
});

describe("what is remembered", () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, role: COORDINATOR_ROLE, max: 2, applicationName: "test notices" });
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });
  const row = {
    ...{
      key: "k",
      id: "00000000-0000-4000-8000-000000000001",
      code: "engine_down",
      fields: { said: "x" },
      path: "/admin",
    },
    ...{ seenAt: 1_000, toldAt: null, goneAt: null, tries: 1, nextTryAt: 2_000 },
  };

  test("comes back as it was written, each channel by itself, and only the newest leader writes", async () => {
    const { rows } = await pool.query("SELECT epoch FROM leader");
    const store = new PostgresNoticeStore(pool, Number(rows[0].epoch));
    await store.write("webhook", { save: [row], forget: [] });
    await store.write("webhook", { save: [{ ...row, toldAt: 3_000, tries: 0 }], forget: [] });
    expect((await store.read("webhook")).remembered).toEqual([{ ...row, toldAt: 3_000, tries: 0 }]);
    expect((await store.read("email")).remembered).toEqual([]);
    const former = new PostgresNoticeStore(pool, Number(rows[0].epoch) + 1);
    await expect(former.write("webhook", { save: [], forget: ["k"] })).rejects.toThrow(NotLeader);
    expect((await store.read("webhook")).remembered).toHaveLength(1);
    await store.write("webhook", { save: [], forget: ["k"] });
    expect((await store.read("webhook")).remembered).toEqual([]);
  });
});

describe("more workspaces in trouble than are listed", () => {
  let database: TestDatabase;
  let sql: pg.Pool;
  let pools: readonly [pg.Pool, pg.Pool];
  beforeAll(async () => {
    database = await createTestDatabase();
    sql = new pg.Pool({ connectionString: database.url, max: 1 });
    const pool = (role: DatabaseRole) =>
      createPool({ url: database.url, role, max: 2, applicationName: "test notices" });
    pools = [pool(API_ROLE), pool(COORDINATOR_ROLE)];
  });
  afterAll(async () => {
    for (const pool of [sql, ...(pools ?? [])]) await pool?.end();
    await database?.drop();
  });
  const inError = (name: string, count: number, since: string): Promise<unknown> =>
    sql.query(
      `INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state, phase, phase_changed_at, error_reason)
       SELECT gen_random_uuid(), users.id, $1 || n, 'x', 'RUNNING', 'ERROR', now() - $3::interval, 'DiskFull'
       FROM users, generate_series(1, $2) AS n`,
      [name, count, since],
    );

  test("one that is no longer among those is not told to be over before it is", async () => {
    await sql.query(
      "INSERT INTO users (id, username, password_hash, role) VALUES (gen_random_uuid(), 'ada', '-', 'user')",
    );
    const [api, coordinator] = pools;
    const { rows } = await coordinator.query("SELECT epoch FROM leader");
    const heard: Notice[] = [];
    const over = new AbortController();
    const telling = runNotices(
      {
        ...{ clock, ids, logger: createLogger({ level: "error", destination: process.stderr }) },
        attention: async (workspaces) => ({ ...(await readAttention(api, workspaces)), findings: [] }),
        store: new PostgresNoticeStore(coordinator, Number(rows[0].epoch)),
        channels: [{ name: "webhook", send: async (notices) => void heard.push(...notices) }],
        say: noticeText,
        origin: "http://codehub.test",
        settings: { afterMs: 0, intervalMs: 1 },
      },
      over.signal,
    );
    const begun = (): number => heard.filter(({ state }) => state === "begun").length;
    const ended = (): string[] => heard.filter(({ state }) => state === "over").map(({ text }) => text);
    await inError("newest ", 1, "1 minute");
    await vi.waitFor(() => expect(begun()).toBe(1), { timeout: 20_000 });
    await inError("older ", 250, "1 hour");
    // Two hundred of them, and one word about the other fifty.
    await vi.waitFor(() => expect(begun()).toBe(202), { timeout: 20_000 });
    expect(heard.find(({ code }) => code === "more_workspaces")?.text).toBe(
      "There are 50 more workspaces in ERROR or on their way for too long.",
    );
    expect(ended()).toEqual([]);
    await sql.query("UPDATE workspaces SET phase = 'RUNNING' WHERE name = 'newest 1'");
    await vi.waitFor(() => expect(ended()).toEqual(["newest 1 of ada is in ERROR: The disk is full"]), {
      timeout: 20_000,
    });
    over.abort();
    await telling;
  });
});

describe("a webhook that does not take it", () => {
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await startWebhookReceiver();
    return () => receiver[Symbol.asyncDispose]();
  });
  const notice = { id: "1", state: "begun", code: "x", text: "x", action: null, link: "http://x", since: 0 } as const;
  const channel = (): ReturnType<typeof webhookChannel> =>
    webhookChannel({ url: receiver.url, token: null, secret: null, clock });

  test.each([500, 404, 302])("%d: it was not told", async (status) => {
    receiver.refuseWith.push(status);
    await expect(channel().send([notice])).rejects.toThrow();
    await expect(channel().send([notice])).resolves.toBeUndefined();
    expect(receiver.posted).toHaveLength(2);
  });
});
