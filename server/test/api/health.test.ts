import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../postgres/with-database.ts";
import { browserFetch, METRICS_TOKEN, rawRequest, refusal, startApi, type TestApi } from "./harness.ts";

const METRICS = { authorization: `Bearer ${METRICS_TOKEN}` };

describe("metrics", () => {
  const scrape = (api: TestApi, headers: Record<string, string>) => rawRequest(`${api.url}/metrics`, { headers });

  it("are for whoever has the token of the configuration, and for administrators", async () => {
    await using database = await createTestDatabase();
    await using api = await startApi({ databaseUrl: database.url, listens: false });
    const [root, ada] = [await api.user("root", "admin"), await api.user("ada")];
    const { secret } = await root.client.createToken({ body: { name: "prometheus" } });
    const allowed = [METRICS, { cookie: root.cookie }, { authorization: `Bearer ${secret}` }];
    for (const headers of allowed) expect((await scrape(api, headers)).status).toBe(200);
    expect((await scrape(api, { cookie: ada.cookie })).status).toBe(403);
    const wrong = [{}, { authorization: `Bearer ${METRICS_TOKEN}x` }, { cookie: "__Host-Http-codehub=garbage" }];
    for (const headers of wrong) {
      const answer = await scrape(api, headers);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(await answer.text()).toContain("METRICS_TOKEN");
    }
    const elsewhere = await browserFetch(api.origin, METRICS)(`${api.url}/api/v1/users`, {});
    expect(elsewhere.status).toBe(401);
  });

  it("are open to nobody else where no token is configured", async () => {
    await using database = await createTestDatabase();
    await using api = await startApi({ databaseUrl: database.url, listens: false, settings: { metricsToken: null } });
    const root = await api.user("root", "admin");
    for (const headers of [{}, METRICS, { authorization: "Bearer " }, { authorization: "Bearer null" }])
      expect((await scrape(api, headers)).status).toBe(401);
    expect((await scrape(api, { cookie: root.cookie })).status).toBe(200);
  });
});

describe("what needs attention", () => {
  it("is told to administrators with words, what to do and where: from the database and from what the doctor finds", async () => {
    await using database = await createTestDatabase();
    const full = { check: "disk", level: "broken", code: "disk_full", found: "", cure: null } as const;
    const fields = { directory: "/data", free_mib: 1, least_mib: 2 };
    const examine = async () => ({ at: 0, machine: "here", findings: [{ ...full, fields }] });
    await using api = await startApi({ databaseUrl: database.url, listens: false, overrides: { examine } });
    const [root, ada] = [await api.user("root", "admin"), await api.user("ada")];
    const make = async (name: string): Promise<string> =>
      (await ada.client.createWorkspace({ body: { name, desired_state: "ARCHIVED" } })).id;
    const [broken, late] = [await make("broken"), await make("late"), await make("on its way")];
    await api.sql.query(
      "UPDATE workspaces SET phase = 'ERROR', error_reason = 'DataLost', error_info = '{}' WHERE id = $1",
      [broken],
    );
    await api.sql.query("UPDATE workspaces SET phase_changed_at = now() - interval '2 hours' WHERE id = $1", [late]);
    await api.sql.query("UPDATE workspace_events SET at = now() - interval '61 minutes' WHERE workspace_id = $1", [
      late,
    ]);
    await api.sql.query("UPDATE deployment SET gc_quarantined_at = now(), gc_quarantine_reason = 'It was restored.'");
    // What workspaces do without here is told to everybody.
    expect((await root.client.getSystem()).deployment.lacks).toEqual(["user_name"]);
    expect((await ada.client.getSession()).deployment.lacks).toEqual(["user_name"]);
    const { items } = await root.client.getAttention();
    expect(items.map(({ code, path }) => [code, path])).toEqual([
      ["workspace_stuck", `/workspaces/${late}`],
      ["workspace_error", `/workspaces/${broken}`],
      ["finding:disk_full", "/admin#doctor"],
      ["collection_paused", "/admin#collection"],
    ]);
    expect(items.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^late of ada has been on its way since .* UTC\.$/),
      expect.stringMatching(/^broken of ada is in ERROR: ./),
      expect.stringContaining("Only 1 MiB are free in /data"),
      "Nothing is removed from the archive store: It was restored.",
    ]);
    expect(await refusal(ada.client.getAttention())).toBe("FORBIDDEN");
  });
});

describe("health", () => {
  it("without its database the process lives, is not ready and says why, and answers 503 that asks to come back", async () => {
    const database = await createTestDatabase();
    await using api = await startApi({ databaseUrl: database.url, listens: false });
    const ada = await api.user("ada");
    const ready = await rawRequest(`${api.url}/readyz`, {});
    expect([ready.status, await ready.json()]).toMatchObject([200, { ready: true }]);
    const scraped = async () => await (await rawRequest(`${api.url}/metrics`, { headers: METRICS })).text();
    expect(await scraped()).toContain('codehub_component_up{component="coordinator"}');
    await database.drop();
    expect((await rawRequest(`${api.url}/healthz`, {})).status).toBe(200);
    const unready = await rawRequest(`${api.url}/readyz`, {});
    expect(unready.status).toBe(503);
    expect(await unready.json()).toMatchObject({
      ready: false,
      checks: [
        { name: "database", ok: false },
        { name: "bus", ok: true },
      ],
    });
    const answer = await browserFetch(api.origin, { cookie: ada.cookie })(`${api.url}/api/v1/workspaces`, {});
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("2");
    expect(await refusal(ada.client.getSession())).toBe("DATABASE_UNAVAILABLE");
    const metrics = await scraped();
    expect(metrics).toContain('codehub_component_up{component="database"} 0');
    expect(metrics).not.toContain('component="coordinator"');
  });

  it("says which part is not ready, as the composition root sees it", async () => {
    await using database = await createTestDatabase();
    const store = { name: "store", ok: false, detail: "Another bucket answers than the one recorded." };
    await using api = await startApi({
      databaseUrl: database.url,
      listens: false,
      overrides: { readiness: async () => [store] },
    });
    const answer = await rawRequest(`${api.url}/readyz`, {});
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ checks: expect.arrayContaining([store]) });
  });

  it("counts requests by route and never by address, and serves a home only as a file to be saved", async () => {
    await using database = await createTestDatabase();
    await using api = await startApi({ databaseUrl: database.url, listens: false });
    const ada = await api.user("ada");
    const { id } = await ada.client.createWorkspace({ body: { name: "w", desired_state: "ARCHIVED" } });
    const op = "00000000-0000-4000-8000-0000000000aa";
    await api.sql.query(
      `INSERT INTO archives (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count, manifest_digest,
         format_version, verified_at) VALUES ($1, $2, $3, 'current', $4, 9, 99, 3, $4, 1, now())`,
      [`${id}/${op}/home.tar.zst`, id, op, "b".repeat(64)],
    );
    const file = await browserFetch(api.origin, { cookie: ada.cookie })(
      `${api.url}/api/v1/workspaces/${id}/archives/${op}/download`,
      {},
    );
    expect(await file.text()).toBe(`bytes of ${id}/${op}/home.tar.zst`);
    expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="home-[0-9a-f-]+\.tar\.zst"$/);
    expect(file.headers.get("content-security-policy")).toContain("sandbox");
    expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    const workspace = await ada.client.getWorkspace({ params: { id } });
    expect(workspace.safety.last_verified_archive).toMatchObject({ op_id: op, sha256: "b".repeat(64), home_bytes: 99 });
    const metrics = await (await rawRequest(`${api.url}/metrics`, { headers: METRICS })).text();
    expect(metrics).toContain('route="/api/v1/workspaces/:id/archives/:op_id/download"');
    expect(metrics).not.toContain(id);
  });
});
