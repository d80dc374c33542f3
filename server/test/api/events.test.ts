import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { openStream } from "./event-stream.ts";
import { startApi, type TestApi, type TestUser } from "./harness.ts";

let database: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const make = (user: TestUser, name: string) =>
  user.client.createWorkspace({ body: { name, desired_state: "ARCHIVED" } });

describe("the event stream", () => {
  it("begins with a snapshot and then tells every change with its version, whoever made it", async () => {
    const ada = await api.user("ada");
    const first = await make(ada, "first");
    const stream = openStream(api, { cookie: ada.cookie });
    await stream.until(() => stream.workspaces.has(first.id));
    expect(stream.events[0]?.type).toBe("snapshot");
    const second = await make(ada, "second");
    await stream.until(() => stream.workspaces.has(second.id));
    // The coordinator writes other columns than the API; its changes arrive the same way.
    await api.sql.query("UPDATE workspaces SET phase = 'STANDBY', home_volume = 'v1' WHERE id = $1", [first.id]);
    await stream.until(() => stream.workspaces.get(first.id)?.phase === "STANDBY");
    expect(stream.workspaces.get(first.id)).toMatchObject({
      version: 2,
      name: "first",
      safety: { level: "volume_only" },
    });
    await ada.client.deleteWorkspace({ params: { id: second.id } });
    await stream.until(() => stream.events.some((event) => event.type === "workspace_deleted"));
    const gone = stream.events.find((event) => event.type === "workspace_deleted");
    expect(gone?.data).toEqual({ id: second.id, version: 2 });
    stream.close();
  });

  it("tells progress without repeating the whole workspace", async () => {
    const user = await api.user("progress");
    const { id } = await make(user, "archiving");
    const op = "00000000-0000-4000-8000-00000000aaaa";
    await api.sql.query(
      "UPDATE workspaces SET operation = 'ARCHIVING', op_id = $2, op_epoch = 1, op_started_at = now() WHERE id = $1",
      [id, op],
    );
    const stream = openStream(api, { cookie: user.cookie });
    await stream.until(() => stream.workspaces.has(id));
    const told = () => stream.events.find((candidate) => candidate.type === "workspace_progress");
    // A change that is still on its way is told as a whole, with the progress in it; the next progress is on its own.
    for (let files = 1; told() === undefined; files++) {
      const before = stream.events.length;
      await api.sql.query(
        `INSERT INTO progress (workspace_id, op_id, stage, done_bytes, total_bytes, done_files)
         VALUES ($1, $2, 'upload', 5, 10, $3) ON CONFLICT (workspace_id) DO UPDATE SET done_files = $3`,
        [id, op, files],
      );
      await stream.until(() => stream.events.length > before);
    }
    const event = told();
    expect(event?.data).toMatchObject({
      id,
      version: 2,
      progress: { stage: "upload", bytes_done: 5, bytes_total: 10 },
    });
    stream.close();
  });

  it("cannot be made to carry a forged event by anything people write", async () => {
    const user = await api.user("forger");
    const { id } = await make(user, "forged");
    const stream = openStream(api, { cookie: user.cookie });
    await stream.until(() => stream.workspaces.has(id));
    const description = "x\n\nevent: workspace_deleted\ndata: {}\n\n\r\r\u2028\u2029event: resync\n";
    await user.client.updateWorkspace({ params: { id }, body: { description, memo: description } });
    await stream.until(() => stream.workspaces.get(id)?.description === description);
    expect(new Set(stream.events.map((event) => event.type))).toEqual(new Set(["snapshot", "workspace_updated"]));
    stream.close();
  });

  it("ends at once with a logout, and within ten seconds when the session goes in any other way", async () => {
    const [a, b, c, d] = [
      await api.user("leaver"),
      await api.user("vanished"),
      await api.user("banned"),
      await api.user("token-user"),
    ];
    const root = await api.user("root", "admin");
    const { secret, token } = await d.client.createToken({ body: { name: "stream" } });
    const headers = [
      { cookie: a.cookie },
      { cookie: b.cookie },
      { cookie: c.cookie },
      { authorization: `Bearer ${secret}` },
    ];
    const streams = headers.map((header) => openStream(api, header));
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
    await a.client.logout({ body: {} });
    await api.sql.query("DELETE FROM sessions WHERE user_id = $1", [b.id]);
    await root.client.updateUser({ params: { id: c.id }, body: { disabled: true } });
    await api.sql.query("DELETE FROM api_tokens WHERE id = $1", [token.id]);
    const begun = performance.now();
    await Promise.all(streams.map((stream) => stream.ended));
    // The promise itself is ten seconds; a machine under load is given some more before this counts as broken.
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it("lets a client that does not read start over, instead of collecting events for it without end", async () => {
    const user = await api.user("slow");
    const { id } = await make(user, "big");
    const slow = openStream(api, { cookie: user.cookie }, false);
    await slow.until(() => slow.workspaces.has(id));
    slow.pause();
    const quick = openStream(api, { cookie: user.cookie }, false);
    await quick.until(() => quick.workspaces.has(id));
    let version = 0;
    for (let change = 0; change < 200; change += 1) {
      const info = { reason: "ActionFailed", message: "", fields: { change, long: "€".repeat(19_000) } };
      const { rows } = await api.sql.query(
        "UPDATE workspaces SET error_reason = 'ActionFailed', error_info = $2 WHERE id = $1 RETURNING row_version",
        [id, JSON.stringify({ ...info, occurred_at: new Date().toISOString() })],
      );
      version = Number(rows[0]?.row_version);
      // One after the other, or they would be coalesced into fewer events than it takes.
      await quick.until(() => (quick.workspaces.get(id)?.version ?? 0) >= version);
    }
    slow.resume();
    await slow.until(() => slow.workspaces.get(id)?.version === version);
    expect(slow.events.some((event) => event.type === "resync")).toBe(true);
    expect(slow.events.filter((event) => event.type === "workspace_updated").length).toBeLessThan(200);
    expect(quick.events.some((event) => event.type === "resync")).toBe(false);
    slow.close();
    quick.close();
  });

  it("is refused when one user opens too many", async () => {
    const user = await api.user("many-tabs");
    const streams = Array.from({ length: api.deps.hub.limit }, () => openStream(api, { cookie: user.cookie }));
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
    expect(await openStream(api, { cookie: user.cookie }).status).toBe(429);
    for (const stream of streams) stream.close();
  });
});

describe("two users", () => {
  it("never see anything of each other: a soak with canaries in every text field", { timeout: 120_000 }, async () => {
    const users = [await api.user("alpha"), await api.user("omega")];
    const canary = (user: TestUser) => `CANARY-${user.name}-`;
    const streams = users.map((user) => openStream(api, { cookie: user.cookie }));
    const ids = await Promise.all(
      users.map((user) => Promise.all([0, 1, 2].map((n) => make(user, `${canary(user)}${n}`)))),
    );
    const rounds = 60;
    await Promise.all(
      users.map(async (user, index) => {
        for (let round = 0; round < rounds; round += 1) {
          const id = ids[index]?.[round % 3]?.id ?? "";
          const text = `${canary(user)}${round}`;
          await user.client.updateWorkspace({ params: { id }, body: { name: text, memo: text, description: text } });
          await api.sql.query(
            "UPDATE workspaces SET observed_at = now(), error_count = error_count + 1 WHERE id = $1",
            [id],
          );
          const lists = await user.client.listWorkspaces({ query: { q: "CANARY" } });
          expect(lists.total).toBe(3);
        }
      }),
    );
    for (const [index, stream] of streams.entries()) {
      const mine = users[index];
      const theirs = users[1 - index];
      if (mine === undefined || theirs === undefined) throw new Error("two users");
      await stream.until(() =>
        [...stream.workspaces.values()].some((workspace) => workspace.name === `${canary(mine)}${rounds - 1}`),
      );
      expect(stream.text()).toContain(canary(mine));
      expect(stream.text()).not.toContain(canary(theirs));
      expect(stream.text()).not.toContain(theirs.id);
      stream.close();
    }
  });
});
