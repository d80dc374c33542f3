import { openApiDocument, type Route, type RouteId, routeIds, routes } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { browserFetch, PASSWORD, signIn, startApi, type TestApi, type TestUser } from "./harness.ts";

let database: TestDatabase;
let api: TestApi;
let admin: TestUser;
let other: TestUser;
let workspace: string;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, listens: false });
  [admin, other] = [await api.user("admin", "admin"), await api.user("other")];
  workspace = (await admin.client.createWorkspace({ body: { name: "mine", desired_state: "ARCHIVED" } })).id;
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

interface Described {
  readonly requestBody?: { readonly required: boolean };
}
const document = openApiDocument({ version: "1.2.3", serverUrl: "http://localhost" });
function described(route: Route): Described {
  const paths = document["paths"] as Record<string, Record<string, Described>>;
  return paths[route.path.replaceAll(/:(\w+)/g, "{$1}")]?.[route.method.toLowerCase()] ?? {};
}

/** As the owner of the workspace and an administrator, so that nothing but the missing body can be held against it. */
async function sendNothing(id: RouteId): Promise<Response> {
  const route: Route = routes[id];
  const target = route.tag === "users" ? other.id : workspace;
  const path = route.path
    .replace(":id", target)
    .replace(/:\w+_id/, "00000000-0000-4000-8000-00000000abcd")
    .replace(":port", "3000")
    .replace(":cache", "npm");
  const cookie = id === "logout" ? await signIn(api.url, api.origin, "admin", PASSWORD) : admin.cookie;
  const headers = { cookie, "content-type": "application/json" };
  return browserFetch(api.origin, headers)(`${api.url}${path}`, { method: route.method });
}

const changing = routeIds.filter((id) => routes[id].method !== "GET");

describe("the description of the API says what the server demands", () => {
  it.each(changing)("%s: a body is asked for exactly where it is described as required", async (id) => {
    const answer = await sendNothing(id);
    const text = await answer.text();
    const { error } = (text === "" ? {} : JSON.parse(text)) as { error?: { code: string; details?: { in?: string } } };
    const missed = answer.status === 400 && error?.code === "VALIDATION_FAILED" && error.details?.in === "body";
    expect(answer.status, text).toBeLessThan(500);
    expect(missed, text).toBe(described(routes[id]).requestBody?.required ?? false);
  });

  it("describes a body where the route reads one, and nowhere else", () => {
    for (const id of routeIds) expect(described(routes[id]).requestBody !== undefined, id).toBe("body" in routes[id]);
  });
});
