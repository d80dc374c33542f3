import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

let database: TestDatabase;
let api: TestApi;
let ada: TestUser;
let root: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url });
  ada = await api.user("ada");
  root = await api.user("root", "admin");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const make = (name: string, desired: "RUNNING" | "STANDBY" | "ARCHIVED" = "ARCHIVED") =>
  ada.client.createWorkspace({ body: { name, desired_state: desired } });

describe("workspaces", () => {
  it("are created, read, changed field by field, and cleared with null", async () => {
    const made = await ada.client.createWorkspace({ body: { name: "one", memo: "# hi", desired_state: "STANDBY" } });
    expect(made).toMatchObject({ name: "one", memo: "# hi", phase: "PENDING", desired_state: "STANDBY", version: 1 });
    expect(made.open_url).toBe(`/w/${made.id}/`);
    const params = { id: made.id };
    const changed = await ada.client.updateWorkspace({
      params,
      body: { name: "uno", memo: null, standby_ttl_seconds: 0 },
    });
    expect(changed).toMatchObject({
      name: "uno",
      memo: null,
      standby_ttl_seconds: 0,
      effective_standby_ttl_seconds: 0,
    });
    expect(changed.desired_version).toBe(made.desired_version);
    const again = await ada.client.updateWorkspace({ params, body: { desired_state: "STANDBY" } });
    expect(again.desired_version).toBe(made.desired_version + 1);
    expect(await ada.client.getWorkspace({ params })).toEqual({
      ...again,
      next: expect.anything(),
      safety: expect.anything(),
    });
  });

  it("have an address of their own in words, which a new name does not change and their owner can", async () => {
    const made = await ada.client.createWorkspace({ body: { name: "Payments API", desired_state: "ARCHIVED" } });
    const url = /^http:\/\/payments-api-[2-9b-z]{6}\.localhost\/$/;
    expect(made.address).toEqual({ form: "words", url: expect.stringMatching(url) });
    const params = { id: made.id };
    const renamed = await ada.client.updateWorkspace({ params, body: { name: "Billing" } });
    expect(renamed.address).toEqual(made.address);
    const moved = await ada.client.changeAddress({ params, body: { address: "words" } });
    expect(moved.address?.url).toMatch(/^http:\/\/billing-[2-9b-z]{6}\./);
    const plain = await ada.client.changeAddress({ params, body: { address: "id" } });
    expect(plain.address).toEqual({ form: "id", url: `http://${made.id}.localhost/` });
    expect(await ada.client.changeAddress({ params, body: { address: "id" } })).toMatchObject({
      version: plain.version,
    });
    expect((await root.client.getWorkspace({ params })).address).toBeNull();
    expect(await refusal(root.client.changeAddress({ params, body: { address: "words" } }))).toBe("FORBIDDEN");
    const { items } = await ada.client.listHistory({ params, query: {} });
    expect(items.filter(({ kind }) => kind === "moved").map(({ summary }) => summary)).toEqual([
      expect.stringMatching(/^Address changed from billing-\w{6} to [0-9a-f-]{36}$/),
      expect.stringMatching(/^Address changed from payments-api-\w{6} to billing-\w{6}$/),
    ]);
    const unnamed = await ada.client.createWorkspace({
      body: { name: "Secret", desired_state: "ARCHIVED", address: "id" },
    });
    expect(unnamed.address?.form).toBe("id");
  });

  it("refuse what is not valid, naming the field", async () => {
    const call = ada.client.createWorkspace({ body: { name: "x", standby_ttl_seconds: 5 } as never });
    await expect(call).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      details: { fields: [{ field: "standby_ttl_seconds" }] },
    });
    await expect(ada.client.createWorkspace({ body: { name: "a\r\nb" } })).rejects.toMatchObject({ status: 400 });
    await expect(ada.client.createWorkspace({ body: { name: "a", image_ref: "evil/image" } })).rejects.toMatchObject({
      code: "IMAGE_NOT_ALLOWED",
      details: { allowed: ["codehub/default", "codehub/other:1"] },
    });
    const params = { id: (await make("awake")).id };
    const far = new Date(Date.now() + 90 * 86_400_000).toISOString();
    expect(await refusal(ada.client.updateWorkspace({ params, body: { keep_awake_until: far } }))).toBe(
      "VALIDATION_FAILED",
    );
  });

  it("are read for people once per change, and not at all for one that is refused", async () => {
    const params = { id: (await make("once")).id };
    const read = vi.spyOn(api.deps.views, "get");
    try {
      expect((await ada.client.updateWorkspace({ params, body: { memo: "newest" } })).memo).toBe("newest");
      expect(read).toHaveBeenCalledTimes(1);
      expect(await refusal(ada.client.recoverWorkspace({ params, body: {} }))).toBe("NOT_IN_ERROR");
      expect(read).toHaveBeenCalledTimes(1);
    } finally {
      read.mockRestore();
    }
  });

  it("use images by the same rule as the engine", async () => {
    const images = ["codehub/default", "codehub/team/*", "codehub/pinned:1"];
    await using listed = await startApi({ databaseUrl: database.url, listens: false, settings: { images } });
    const user = await listed.user("image-user");
    const use = (image_ref: string) =>
      refusal(user.client.createWorkspace({ body: { name: "i", image_ref, desired_state: "ARCHIVED" } }));
    for (const image of ["codehub/team/go:2", "docker.io/codehub/pinned:1", "codehub/default:latest"])
      expect(await use(image), image).toBe("ACCEPTED");
    for (const image of ["codehub/teams/go", "codehub/pinned:2", "evil/codehub/team/go"])
      expect(await use(image), image).toBe("IMAGE_NOT_ALLOWED");
  });

  it("have names that look like what they are; one from before that rule can be read, changed, renamed and reset", async () => {
    const deceitful = "safe\u202egnp.exe";
    const calls = [
      () => ada.client.createWorkspace({ body: { name: deceitful } }),
      () => ada.client.createToken({ body: { name: deceitful } }),
      () => root.client.createUser({ body: { username: "pay\u200bpal" } }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    await expect(ada.client.createWorkspace({ body: { name: deceitful } })).rejects.toThrow(/name .*direction/);
    const params = { id: (await make("older")).id };
    await api.sql.query("UPDATE workspaces SET name = $2 WHERE id = $1", [params.id, deceitful]);
    expect((await ada.client.getWorkspace({ params })).name).toBe(deceitful);
    expect((await ada.client.updateWorkspace({ params, body: { memo: "still mine" } })).name).toBe(deceitful);
    expect(await refusal(ada.client.resetWorkspace({ params, body: { confirm: deceitful } }))).toBe("ACCEPTED");
    expect((await ada.client.updateWorkspace({ params, body: { name: "honest" } })).name).toBe("honest");
  });

  it("are listed page by page without gaps or repeats, in every order, with the real total", async () => {
    const bob = await api.user("bob");
    const names = Array.from({ length: 23 }, (_, index) => `w${String(index).padStart(2, "0")}`);
    for (const name of names) await bob.client.createWorkspace({ body: { name, desired_state: "ARCHIVED" } });
    for (const sort of ["name", "created_at", "updated_at", "last_access_at", "phase", "owner"] as const)
      for (const order of ["asc", "desc"] as const) {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const query = { limit: 5, sort, order, ...(cursor === undefined ? {} : { cursor }) };
          const page = await bob.client.listWorkspaces({ query });
          expect(page.total).toBe(23);
          seen.push(...page.items.map((item) => item.name));
          cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined);
        expect([...seen].sort()).toEqual(names);
        if (sort === "name") expect(seen).toEqual(order === "asc" ? names : names.toReversed());
      }
    expect((await bob.client.listWorkspaces({ query: { q: "W1" } })).total).toBe(10);
    expect((await bob.client.listWorkspaces({ query: { q: "%" } })).total).toBe(0);
    expect((await bob.client.listWorkspaces({ query: { phase: "RUNNING,ERROR" } })).total).toBe(0);
    const cursor = (await bob.client.listWorkspaces({ query: { limit: 5 } })).next_cursor ?? "";
    expect(await refusal(bob.client.listWorkspaces({ query: { cursor, sort: "name" } }))).toBe("VALIDATION_FAILED");
    expect((await root.client.listWorkspaces({ query: { owner: bob.id } })).total).toBe(23);
    expect(await refusal(bob.client.listWorkspaces({ query: { owner: "all" } }))).toBe("FORBIDDEN");
  });

  it("go to the trash and come back; a purge needs the name and is for good", async () => {
    const { id, name } = await make("trashed");
    const params = { id };
    expect(await refusal(ada.client.undeleteWorkspace({ params }))).toBe("NOT_DELETED");
    const gone = await ada.client.deleteWorkspace({ params });
    expect(gone.deleted_at).not.toBeNull();
    expect(gone.undelete_until).not.toBeNull();
    expect(gone.open_url).toBeNull();
    const again = await ada.client.deleteWorkspace({ params });
    expect(again.deleted_at).toBe(gone.deleted_at);
    expect(await refusal(ada.client.updateWorkspace({ params, body: { name: "x" } }))).toBe("WORKSPACE_DELETED");
    expect(await refusal(ada.client.resetWorkspace({ params, body: { confirm: name } }))).toBe("WORKSPACE_DELETED");
    expect((await ada.client.listWorkspaces({ query: { trash: "only" } })).items.map((item) => item.id)).toContain(id);
    expect(await ada.client.undeleteWorkspace({ params })).toMatchObject({
      deleted_at: null,
      desired_state: "ARCHIVED",
    });
    expect(await refusal(ada.client.deleteWorkspace({ params, query: { purge: true, confirm: "no" } }))).toBe(
      "CONFIRMATION_MISMATCH",
    );
    await ada.client.deleteWorkspace({ params, query: { purge: true, confirm: name } });
    expect(await refusal(ada.client.undeleteWorkspace({ params }))).toBe("DELETED_FOR_GOOD");
    const expired = await make("expired");
    await ada.client.deleteWorkspace({ params: { id: expired.id } });
    await api.sql.query("UPDATE workspaces SET expired_at = now() WHERE id = $1", [expired.id]);
    await expect(ada.client.undeleteWorkspace({ params: { id: expired.id } })).rejects.toMatchObject({ status: 410 });
  });

  it("tell the whole story of an error: what, when, how often and how long, also one of an older version", async () => {
    const { id } = await make("unlucky");
    const info = {
      reason: "RetryExceeded",
      message: "The container disappeared while it was starting.",
      operation: "STARTING",
      is_terminal: true,
      attempts: 3,
      previous_phase: "STANDBY",
      occurred_at: "2026-11-16T10:00:00.000Z",
    };
    const store = (stored: object) =>
      api.sql.query(
        "UPDATE workspaces SET phase = 'ERROR', error_reason = 'RetryExceeded', error_info = $2 WHERE id = $1",
        [id, JSON.stringify(stored)],
      );
    const told = async () => (await ada.client.getWorkspace({ params: { id } })).error;
    await store({ ...info, elapsed_ms: 12_300 });
    expect(await told()).toEqual({
      ...info,
      fields: {},
      detail: info.message,
      elapsed_seconds: 12.3,
      what_to_do: expect.stringMatching(/./),
    });
    await store({ ...info, fields: { failure: "container_vanished" }, message: "" });
    expect(await told()).toMatchObject({
      fields: { failure: "container_vanished" },
      detail: "",
      message: info.message,
    });
    await store(info);
    expect(await told()).toMatchObject({ attempts: 3, elapsed_seconds: null });
  });

  it("give up a container on a silent node by an administrator's word alone, once, and it is in the audit log", async () => {
    const { id } = await make("stranded");
    const params = { id };
    const say = (user: TestUser, confirm: string) => refusal(user.client.declareNodeOff({ params, body: { confirm } }));
    expect(await say(root, "node-2")).toBe("NODE_NOT_SILENT");
    const silent = {
      status: true,
      reason: "NodeSilent",
      fields: { count: 1, node: "node-2", container: "ws-1/uid-1" },
      message: "",
      last_transition_time: new Date().toISOString(),
    };
    await api.sql.query(
      "UPDATE workspaces SET conditions = jsonb_build_object('infra.container_present', $2::jsonb) WHERE id = $1",
      [id, JSON.stringify(silent)],
    );
    expect(await say(ada, "node-2")).toBe("FORBIDDEN");
    expect(await say(root, "stranded")).toBe("NODE_MISMATCH");
    expect((await root.client.listAudit({ query: { workspace_id: id, kind: "request" } })).items).toEqual([]);
    const told = await root.client.declareNodeOff({ params, body: { confirm: "node-2" } });
    expect(told.conditions["infra.container_present"]?.message).toContain("node-2");
    expect(await say(root, "node-2")).toBe("REQUEST_PENDING");
    const { rows } = await api.sql.query("SELECT request FROM workspaces WHERE id = $1", [id]);
    expect(rows).toMatchObject([
      { request: { action: { kind: "node_off", container: "ws-1/uid-1", node: "node-2" } } },
    ]);
    expect((await root.client.listAudit({ query: { workspace_id: id, kind: "request" } })).items).toMatchObject([
      { actor: { username: "root" }, summary: "Declared the node node-2 off for good", details: { node: "node-2" } },
    ]);
  });

  it("get a larger home: by their owner within bounds, by an administrator beyond them, never a smaller one", async () => {
    const { id } = await make("large");
    const params = { id };
    const GIB = 1024 ** 3;
    const ask = (user: TestUser, gib: number) => user.client.growHome({ params, body: { size_bytes: gib * GIB } });
    await expect(ask(ada, 10)).rejects.toMatchObject({ code: "HOME_SIZE_NOT_LARGER", details: { bytes: 10 * GIB } });
    await expect(ask(ada, 51)).rejects.toMatchObject({ code: "HOME_SIZE_LIMIT", details: { bytes: 50 * GIB } });
    expect((await ask(root, 51)).home_size_bytes).toBeNull();
    expect(await refusal(ask(ada, 40))).toBe("REQUEST_PENDING");
    // As the coordinator does when the volume has it.
    await api.sql.query(
      "UPDATE workspaces SET request_done = (request->>'version')::integer, home_ctx = jsonb_build_object('size_bytes', $2::bigint) WHERE id = $1",
      [id, 51 * GIB],
    );
    expect((await ada.client.getWorkspace({ params })).home_size_bytes).toBe(51 * GIB);
    await expect(ask(ada, 40)).rejects.toMatchObject({ code: "HOME_SIZE_NOT_LARGER", details: { bytes: 51 * GIB } });
    const { items } = await ada.client.listHistory({ params, query: {} });
    expect(items[0]).toMatchObject({ kind: "request", actor: { username: "root" }, details: { bytes: 51 * GIB } });
  });

  it("are reset only with the name, and recovered only in ERROR with the choice the error needs", async () => {
    const { id, name } = await make("lost");
    const params = { id };
    expect(await refusal(ada.client.resetWorkspace({ params, body: { confirm: "lots" } }))).toBe(
      "CONFIRMATION_MISMATCH",
    );
    expect((await ada.client.resetWorkspace({ params, body: { confirm: name } })).desired_state).toBe("PENDING");
    expect(await refusal(ada.client.recoverWorkspace({ params, body: {} }))).toBe("NOT_IN_ERROR");
    await api.sql.query("UPDATE workspaces SET phase = 'ERROR', error_reason = 'DataLost' WHERE id = $1", [id]);
    expect(await refusal(ada.client.recoverWorkspace({ params, body: {} }))).toBe("RECOVERY_CHOICE_REQUIRED");
    expect(await refusal(ada.client.recoverWorkspace({ params, body: { start_empty: true } }))).toBe(
      "CONFIRMATION_MISMATCH",
    );
    const op = "00000000-0000-4000-8000-000000000000";
    expect(await refusal(ada.client.recoverWorkspace({ params, body: { restore_archive: op } }))).toBe(
      "ARCHIVE_NOT_USABLE",
    );
    const both = { restore_archive: op, start_empty: true };
    expect(await refusal(ada.client.recoverWorkspace({ params, body: both }))).toBe("VALIDATION_FAILED");
    expect(await refusal(ada.client.recoverWorkspace({ params, body: { start_empty: true, confirm: name } }))).toBe(
      "ACCEPTED",
    );
    expect(await refusal(ada.client.recoverWorkspace({ params, body: { start_empty: true, confirm: name } }))).toBe(
      "REQUEST_PENDING",
    );
  });

  it("restart only while running, and show that a changed image waits for it", async () => {
    const { id } = await make("restarted", "RUNNING");
    const params = { id };
    expect(await refusal(ada.client.restartWorkspace({ params }))).toBe("NOT_RUNNING");
    await api.sql.query(
      `UPDATE workspaces SET phase = 'RUNNING', home_ctx = '{"started_image": "codehub/default", "exits": []}' WHERE id = $1`,
      [id],
    );
    expect((await ada.client.getWorkspace({ params })).restart_required).toBe(false);
    const changed = await ada.client.updateWorkspace({ params, body: { image_ref: "codehub/other:1" } });
    expect(changed.restart_required).toBe(true);
    expect((await ada.client.restartWorkspace({ params })).next.kind).toBe("operation_next");
    await ada.client.updateWorkspace({ params, body: { desired_state: "STANDBY" } });
    await api.sql.query("UPDATE workspaces SET phase = 'STANDBY' WHERE id = $1", [id]);
  });

  it("explain themselves: why, what next and when, what blocks, how safe", async () => {
    const { id } = await make("explained", "RUNNING");
    const params = { id };
    const started = await ada.client.explainWorkspace({ params });
    expect(started).toMatchObject({
      phase: "PENDING",
      path: [{ operation: "PROVISIONING" }, { operation: "STARTING" }],
    });
    expect(started.safety.level).toBe("empty");
    const seen = (status: boolean) => ({
      status,
      reason: "r",
      message: "m",
      last_transition_time: new Date().toISOString(),
    });
    const conditions = {
      "storage.volume_ready": seen(true),
      "infra.container_ready": seen(true),
      "infra.container_present": seen(true),
      "storage.archive_ready": seen(false),
      "policy.healthy": seen(true),
    };
    await api.sql.query(
      "UPDATE workspaces SET phase = 'RUNNING', phase_changed_at = now(), home_volume = $2, conditions = $3 WHERE id = $1",
      [id, `ws-${id}-home-1`, JSON.stringify(conditions)],
    );
    const running = await ada.client.explainWorkspace({ params });
    expect(running.next).toMatchObject({ kind: "standby", fields: { since: expect.any(String) } });
    expect(["idle_since", "running_since"]).toContain(running.next.code);
    expect(running.next.summary).toMatch(/^Standby in 10 min, because .* since \d\d:\d\d UTC\.$/);
    expect(running.reason).toMatchObject({ code: "RUNNING", detail: "" });
    expect(running.why).toMatch(/^Running since \d\d:\d\d UTC: the container answers/);
    expect(running.safety.level).toBe("volume_only");
    expect(running.because.map((line) => line.condition)).toContain("infra.container_ready");
    await ada.client.updateWorkspace({ params, body: { desired_state: "STANDBY" } });
    const stopping = await ada.client.explainWorkspace({ params });
    expect(stopping.next).toMatchObject({ kind: "operation_next", operation: "STOPPING" });
    expect(stopping.requested).toMatchObject({
      kind: "wish",
      actor: { kind: "user", user_id: ada.id, username: "ada" },
      from_phase: "RUNNING",
      to_phase: "STANDBY",
      details: { code: "requested" },
    });
    expect(stopping.wish).toMatch(
      /^Requested to be on standby by ada \(\d\d:\d\d UTC\): Requested to be on standby\.$/,
    );
    await api.sql.query(
      `UPDATE workspaces SET phase = 'STANDBY', conditions = conditions - 'infra.container_present' WHERE id = $1`,
      [id],
    );
  });

  it("keep a history with who did what; the audit log has all of it for administrators", async () => {
    const { id } = await make("remembered");
    await ada.client.updateWorkspace({ params: { id }, body: { name: "remembered well" } });
    const history = await ada.client.listHistory({ params: { id } });
    expect(history.items.map((event) => event.kind)).toEqual(["edited", "created"]);
    expect(history.items[0]).toMatchObject({
      summary: "Settings changed",
      details: { code: "fields_changed", fields: ["name"] },
    });
    expect(history.items[0]?.actor).toMatchObject({ kind: "user", user_id: ada.id, username: "ada" });
    const page = await ada.client.listHistory({ params: { id }, query: { limit: 1 } });
    const next = await ada.client.listHistory({ params: { id }, query: { limit: 1, cursor: page.next_cursor ?? "" } });
    expect(next.items[0]?.kind).toBe("created");
    expect(page.total).toBe(2);
    const audit = await root.client.listAudit({ query: { kind: "login", user_id: ada.id } });
    expect(audit.items[0]).toMatchObject({ summary: "Signed in", details: { code: "login", username: "ada" } });
  });

  it("say what they use, to their owner and to administrators, and why a figure is missing", async () => {
    const { id } = await make("busy");
    const params = { id };
    const before = await ada.client.getUsage({ params });
    expect(before).toMatchObject({ range: "day", step_seconds: 600, kept_days: 90, latest: null, series: [] });
    await api.sql.query(
      `INSERT INTO usage_minutes (workspace_id, at, cpu_cores, home_bytes, disk_used_bytes, disk_total_bytes, disk_shared, missing)
       VALUES ($1, now() - interval '30 minutes', 0.25, 10, 40, 100, true, NULL),
         ($1, now(), 0.5, NULL, 60, 100, true, '{"memory": "not_counted", "home": "soon"}')`,
      [id],
    );
    for (const { client } of [ada, root]) {
      const { latest, series, step_seconds: step } = await client.getUsage({ params, query: { range: "hour" } });
      expect(latest).toEqual({
        ...{ at: expect.any(String), cpu_cores: 0.5, memory_bytes: null, home_bytes: 10 },
        ...{ disk: { used_bytes: 60, total_bytes: 100, shared: true }, missing: { memory: "not_counted" } },
      });
      expect(step).toBe(60);
      expect(series.map(({ cpu_cores: cores }) => cores)).toEqual([0.25, 0.5]);
    }
    const grace = await api.user("grace");
    await expect(grace.client.getUsage({ params })).rejects.toMatchObject({ status: 404 });
    await expect(ada.client.getUsage({ params, query: { range: "year" as never } })).rejects.toMatchObject({
      status: 400,
    });
  });

  it("let administrators list, stop, recover and delete, and nothing else", async () => {
    const { id, name } = await make("governed", "RUNNING");
    const params = { id };
    expect((await root.client.getWorkspace({ params })).open_url).toBeNull();
    expect(await refusal(root.client.updateWorkspace({ params, body: { name: "mine" } }))).toBe("FORBIDDEN");
    expect(await refusal(root.client.updateWorkspace({ params, body: { desired_state: "RUNNING" } }))).toBe(
      "FORBIDDEN",
    );
    expect(await refusal(root.client.resetWorkspace({ params, body: { confirm: name } }))).toBe("FORBIDDEN");
    expect(await refusal(root.client.getLogs({ params }))).toBe("FORBIDDEN");
    const download = { params: { id, op_id: "00000000-0000-4000-8000-000000000000" } };
    expect(await refusal(root.client.downloadArchive(download))).toBe("FORBIDDEN");
    expect((await root.client.updateWorkspace({ params, body: { desired_state: "STANDBY" } })).desired_state).toBe(
      "STANDBY",
    );
    expect((await root.client.deleteWorkspace({ params })).deleted_at).not.toBeNull();
    const history = await ada.client.listHistory({ params });
    expect(history.items[0]).toMatchObject({ kind: "delete", details: { code: "trashed" } });
    expect(history.items[0]?.actor).toMatchObject({ kind: "admin", username: "root" });
  });
});
