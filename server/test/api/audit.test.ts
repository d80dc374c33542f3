import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { browserFetch, clientFor, startApi, type TestApi, type TestUser } from "./harness.ts";

let database: TestDatabase;
let api: TestApi;
let root: TestUser;
let ada: TestUser;
let workspace: string;
const FROM = "203.0.113.9";

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, listens: false });
  [root, ada] = [await api.user("root", "admin"), await api.user("ada")];
  const elsewhere = clientFor(api.url, api.origin, { cookie: ada.cookie, "x-forwarded-for": FROM });
  workspace = (await elsewhere.createWorkspace({ body: { name: "=cmd|'/c calc'!A1", desired_state: "ARCHIVED" } })).id;
  await root.client.updateWorkspace({ params: { id: workspace }, body: { desired_state: "STANDBY" } });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const fileOf = async (query = "", headers: Record<string, string> = { cookie: root.cookie }) =>
  browserFetch(api.origin, headers)(`${api.url}/api/v1/audit.csv${query}`, {});

describe("the audit log", () => {
  it("says who, from where, and on which workspace", async () => {
    const { items } = await root.client.listAudit({ query: { workspace_id: workspace } });
    expect(
      items.map(({ kind, actor, address, workspace_name }) => [kind, actor.username, address, workspace_name]),
    ).toEqual([
      ["wish", "root", "127.0.0.1", "=cmd|'/c calc'!A1"],
      ["created", "ada", FROM, "=cmd|'/c calc'!A1"],
    ]);
    expect(items[0]?.details).not.toHaveProperty("address");
  });

  it("keeps where an administrator was from the owner", async () => {
    const { items } = await ada.client.listHistory({ params: { id: workspace } });
    expect(items.map(({ kind }) => kind)).toEqual(["wish", "created"]);
    expect(JSON.stringify(items)).not.toContain("127.0.0.1");
    expect(JSON.stringify(items)).not.toContain(FROM);
  });

  it("is read by the number of the page, and by when it was", async () => {
    const all = await root.client.listAudit();
    const pages = await Promise.all(
      [1, 2].map((page) => root.client.listAudit({ query: { page, limit: 2, until: new Date().toISOString() } })),
    );
    expect(pages.flatMap(({ items }) => items)).toEqual(all.items.slice(0, 4));
    const late = await root.client.listAudit({ query: { since: new Date(Date.now() + 60_000).toISOString() } });
    expect([late.items, late.total]).toEqual([[], 0]);
  });

  it("offers what there is", async () => {
    const { kinds, actors, workspaces } = await root.client.getAuditFacets({ query: { user_id: ada.id } });
    expect(kinds.map(({ kind }) => kind).sort()).toEqual(["created", "login"]);
    expect(actors.map(({ actor }) => actor.username)).toEqual(expect.arrayContaining(["root", "ada"]));
    expect(workspaces).toEqual([{ id: workspace, name: "=cmd|'/c calc'!A1", count: 1 }]);
  });
});

describe("the audit log as a file", () => {
  it("has every line, nothing a spreadsheet would calculate, and is itself in the log", async () => {
    const answer = await fileOf(`?workspace_id=${workspace}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="codehub-audit-[\d-]{10}\.csv"$/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const [head, first, second, end] = (await answer.text()).split("\r\n");
    expect(head).toBe(
      '"id","at","kind","actor_kind","actor_id","actor","address","workspace_id","workspace","summary","details"',
    );
    expect(first).toContain(`"wish","admin","${root.id}","root","127.0.0.1","${workspace}","'=cmd|'/c calc'!A1"`);
    expect(second).toContain(`"created","user","${ada.id}","ada","${FROM}"`);
    expect(end).toBe("");
    const { items } = await root.client.listAudit({ query: { kind: "audit_downloaded" } });
    expect(items[0]).toMatchObject({
      actor: { username: "root" },
      address: "127.0.0.1",
      details: { choice: { workspace_id: workspace } },
    });
  });

  it("is for administrators, and who may not have it leaves no such line", async () => {
    const { total } = await root.client.listAudit({ query: { kind: "audit_downloaded" } });
    expect((await fileOf("", { cookie: ada.cookie })).status).toBe(403);
    expect((await fileOf("", {})).status).toBe(401);
    expect((await fileOf("?kind=A%20B")).status).toBe(400);
    expect((await root.client.listAudit({ query: { kind: "audit_downloaded" } })).total).toBe(total);
  });

  it("goes on over many readings, without repeating or leaving out a line", async () => {
    await api.sql.query(
      `INSERT INTO workspace_events (kind, actor_kind, summary) SELECT 'many', 'system', 'line ' || n FROM generate_series(1, 2500) n`,
    );
    const lines = (await (await fileOf("?kind=many")).text()).split("\r\n").slice(1, -1);
    const said = lines.map((line) => /"line (\d+)"/.exec(line)?.[1]);
    expect(said).toEqual(Array.from({ length: 2500 }, (_, n) => String(2500 - n)));
  });
});
