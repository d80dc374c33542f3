import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { proxyChannel } from "#events/channels.ts";
import type { ListeningPort } from "#ports/runtime.ts";
import { DEFAULT_CHANNELS } from "../fixtures/settings.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

const ATTEMPT = "00000000-0000-4000-8000-0000000000aa";

let database: TestDatabase;
let api: TestApi;
let ada: TestUser;
let bob: TestUser;
let root: TestUser;
let listening: () => Promise<readonly ListeningPort[]>;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, overrides: { listening: () => listening() } });
  [ada, bob, root] = [await api.user("ada"), await api.user("bob"), await api.user("root", "admin")];
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

/** As the coordinator leaves it when it runs. */
async function running(name: string): Promise<string> {
  const { id } = await ada.client.createWorkspace({ body: { name, desired_state: "STANDBY" } });
  const endpoint = JSON.stringify({ container_id: "c", attempt: ATTEMPT, address: { kind: "unix", path: "/s" } });
  await api.sql.query("UPDATE workspaces SET endpoint = $2 WHERE id = $1", [id, endpoint]);
  return id;
}

describe("the list of ports", () => {
  it("says what listens now, where that is reached, and nothing of ours", async () => {
    listening = async () => [
      { port: 3_000, program: "node vite" },
      { port: 8_080, program: "node" },
    ];
    const id = await running("listens");
    const { address } = await ada.client.getWorkspace({ params: { id } });
    const [name] = new URL(address?.url ?? "").hostname.split(".");
    expect(name).toMatch(/^listens-/);
    expect(await ada.client.listPorts({ params: { id } })).toEqual({
      state: "listed",
      sharing: "public",
      items: [
        {
          ...{ port: 3_000, listening: true, program: "node vite", label: null, share: null },
          url: `http://3000--${name}.localhost/`,
        },
      ],
    });
    expect(await refusal(bob.client.listPorts({ params: { id } }))).toBe("NOT_FOUND");
  });

  it("does not take what cannot be seen for nothing", async () => {
    listening = () => Promise.reject(new Error("the engine is away"));
    const id = await running("unseen");
    expect(await ada.client.listPorts({ params: { id } })).toEqual({ state: "unknown", sharing: "public", items: [] });
  });

  it("asks no engine about what does not run", async () => {
    listening = () => Promise.reject(new Error("nobody asks"));
    const { id } = await ada.client.createWorkspace({ body: { name: "sleeps", desired_state: "STANDBY" } });
    expect(await ada.client.listPorts({ params: { id } })).toEqual({
      state: "not_running",
      sharing: "public",
      items: [],
    });
  });
});

describe("a shared port", () => {
  const hour = { audience: "public", for_seconds: 3_600 } as const;
  const shared = async (client: TestUser["client"], id: string) =>
    (await client.listPorts({ params: { id } })).items.map(({ port, share, program }) => [
      port,
      share?.audience,
      program,
    ]);

  it("is shared by its owner alone, and closed by an administrator too, who sees nothing else of it", async () => {
    listening = async () => [{ port: 5_000, program: "secret" }];
    const id = await running("shares");
    const params = { id, port: "3000" };
    expect(await refusal(bob.client.sharePort({ params, body: hour }))).toBe("NOT_FOUND");
    expect(await refusal(root.client.sharePort({ params, body: hour }))).toBe("FORBIDDEN");
    await ada.client.sharePort({ params, body: hour });
    expect(await shared(ada.client, id)).toEqual([
      [3_000, "public", null],
      [5_000, undefined, "secret"],
    ]);
    expect(await shared(root.client, id)).toEqual([[3_000, "public", null]]);
    expect(await refusal(bob.client.unsharePort({ params }))).toBe("NOT_FOUND");
    await root.client.unsharePort({ params });
    expect(await shared(root.client, id)).toEqual([]);
    const { items } = await ada.client.listHistory({ params: { id } });
    expect(items.slice(0, 2).map(({ kind, actor }) => [kind, actor.kind, actor.username])).toEqual([
      ["port_closed", "admin", "root"],
      ["port_shared", "user", "ada"],
    ]);
  });

  it("is none of ours, none beyond the operator's bound, none of what is in the trash, and one of so many", async () => {
    const id = await running("refuses");
    const share = (port: string, body: { audience: "users" | "public"; for_seconds: number | null } = hour) =>
      refusal(ada.client.sharePort({ params: { id, port }, body }));
    expect(await share("8080")).toBe("PORT_NOT_SHAREABLE");
    expect(await share("65536")).toBe("VALIDATION_FAILED");
    expect(await share("0")).toBe("VALIDATION_FAILED");
    expect(await share("3000", { audience: "users", for_seconds: 1 })).toBe("VALIDATION_FAILED");
    for (let port = 1; port <= 20; port++) expect(await share(String(port))).toBe("ACCEPTED");
    expect(await share("21")).toBe("TOO_MANY_SHARES");
    expect(await share("20", { audience: "users", for_seconds: null })).toBe("ACCEPTED");
    await ada.client.deleteWorkspace({ params: { id } });
    expect(await share("3000")).toBe("WORKSPACE_DELETED");
    expect(await shared(root.client, id)).toEqual([]);
  });

  it.each([
    ["off", "nobody"],
    ["users", "whoever is signed in"],
  ] as const)("is refused where the operator allows %s", async (portSharing, allowed) => {
    await using strict = await startApi({ databaseUrl: database.url, settings: { portSharing } });
    const own = await strict.user(`owner-${portSharing}`);
    const { id } = await own.client.createWorkspace({ body: { name: "x", desired_state: "STANDBY" } });
    const call = own.client.sharePort({ params: { id, port: "3000" }, body: hour });
    await expect(call).rejects.toMatchObject({ code: "PORT_SHARING_LIMIT", message: expect.stringContaining(allowed) });
  });

  it("is news for those who pass requests on, when it is shared and when it is closed", async () => {
    const id = await running("tells");
    const told: string[] = [];
    const hearing = await api.deps.bus.subscribe(proxyChannel(DEFAULT_CHANNELS), (message) => told.push(message));
    const params = { id, port: "3000" };
    await expect
      .poll(async () => {
        await ada.client.sharePort({ params, body: hour });
        return told;
      })
      .toContain(id);
    await expect.poll(() => told.splice(0).length).toBe(0);
    await ada.client.unsharePort({ params });
    await expect.poll(() => told).toEqual([id]);
    hearing.end();
  });
});
