import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ListeningPort } from "#ports/runtime.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

const ATTEMPT = "00000000-0000-4000-8000-0000000000aa";

let database: TestDatabase;
let api: TestApi;
let ada: TestUser;
let bob: TestUser;
let listening: () => Promise<readonly ListeningPort[]>;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, overrides: { listening: () => listening() } });
  [ada, bob] = [await api.user("ada"), await api.user("bob")];
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
      items: [
        { port: 3_000, listening: true, program: "node vite", label: null, url: `http://3000--${name}.localhost/` },
      ],
    });
    expect(await refusal(bob.client.listPorts({ params: { id } }))).toBe("NOT_FOUND");
  });

  it("does not take what cannot be seen for nothing", async () => {
    listening = () => Promise.reject(new Error("the engine is away"));
    const id = await running("unseen");
    expect(await ada.client.listPorts({ params: { id } })).toEqual({ state: "unknown", items: [] });
  });

  it("asks no engine about what does not run", async () => {
    listening = () => Promise.reject(new Error("nobody asks"));
    const { id } = await ada.client.createWorkspace({ body: { name: "sleeps", desired_state: "STANDBY" } });
    expect(await ada.client.listPorts({ params: { id } })).toEqual({ state: "not_running", items: [] });
  });
});
