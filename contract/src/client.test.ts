import { describe, expect, it } from "vitest";
import { ApiError, createClient, type FetchLike } from "./client.ts";

function answering(status: number, body: unknown, headers: Record<string, string> = {}) {
  const seen: { url: string; method: string; headers: Record<string, string>; body?: string }[] = [];
  const fetch: FetchLike = async (url, init) => {
    seen.push({ url, ...init });
    return {
      ok: status < 400,
      status,
      headers: { get: (name) => headers[name] ?? null },
      text: async () => JSON.stringify(body),
    };
  };
  return { seen, client: createClient({ baseUrl: "http://h", fetch, token: "t" }) };
}

describe("the client derived from the route table", () => {
  it("puts params into the path, leaves out empty query fields and encodes both", async () => {
    const { seen, client } = answering(200, { items: [], next_cursor: null, total: 0 });
    const page = await client.listWorkspaces({ query: { q: "a&b", limit: 5 } });
    expect(page.total).toBe(0);
    expect(seen[0]).toMatchObject({ url: "http://h/api/v1/workspaces?q=a%26b&limit=5", method: "GET" });
    expect(client.url("getWorkspace", { params: { id: "x/y" } })).toBe("http://h/api/v1/workspaces/x%2Fy");
  });

  it("sends JSON with every unsafe method, also without a body, because the server refuses anything else", async () => {
    const { seen, client } = answering(200, {});
    await client.undeleteWorkspace({ params: { id: "1" } });
    expect(seen[0]).toMatchObject({ body: "{}", headers: { "content-type": "application/json" } });
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer t" });
  });

  it("turns an error answer into an ApiError that keeps code, action, details and Retry-After", async () => {
    const error = { code: "TOO_MANY_ATTEMPTS", message: "m", action: "a", request_id: "r", details: { x: 1 } };
    const { client } = answering(429, { error }, { "retry-after": "7" });
    const failure = await client.getSession().catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ code: "TOO_MANY_ATTEMPTS", status: 429, retryAfterSeconds: 7, requestId: "r" });
  });

  it("reports an unreachable server as NETWORK", async () => {
    const client = createClient({ baseUrl: "", fetch: () => Promise.reject(new TypeError("refused")) });
    await expect(client.getSession()).rejects.toMatchObject({ code: "NETWORK", status: 0 });
  });

  it("gives not-ready answers as answers", async () => {
    const { client } = answering(503, { ready: false, checks: [] });
    expect((await client.getReadiness()).ready).toBe(false);
  });
});
