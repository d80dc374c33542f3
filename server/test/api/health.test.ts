import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../postgres/with-database.ts";
import { browserFetch, rawRequest, refusal, startApi } from "./harness.ts";

describe("health", () => {
  it("without its database the process lives, is not ready and says why, and answers 503 that asks to come back", async () => {
    const database = await createTestDatabase();
    await using api = await startApi({ databaseUrl: database.url, listens: false });
    const ada = await api.user("ada");
    const ready = await rawRequest(`${api.url}/readyz`, {});
    expect([ready.status, await ready.json()]).toMatchObject([200, { ready: true }]);
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
    const metrics = await (await rawRequest(`${api.url}/metrics`, {})).text();
    expect(metrics).toContain('codehub_component_up{component="database"} 0');
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
    const metrics = await (await rawRequest(`${api.url}/metrics`, {})).text();
    expect(metrics).toContain('route="/api/v1/workspaces/:id/archives/:op_id/download"');
    expect(metrics).not.toContain(id);
  });
});
