import { describe, expect, it } from "vitest";
import { PasswordHasher } from "#api/accounts/password-hasher.ts";
import { createTestDatabase } from "../postgres/with-database.ts";
import { openStream } from "./event-stream.ts";
import { browserFetch, METRICS_TOKEN, rawRequest, refusal, signIn, startApi } from "./harness.ts";

/** Secrets that are used in every way there is, and then looked for in everything that leaves the process. */
describe("canary secrets", () => {
  it("never appear in logs, errors, events, metrics, the audit log or the pages", async () => {
    await using database = await createTestDatabase();
    const outputs: string[] = [];
    await using api = await startApi({
      databaseUrl: database.url,
      overrides: {
        logs: () => Promise.reject(new Error("connect http://engine:CANARY-engine-password@docker:2375 refused")),
        archives: { get: () => Promise.reject(new Error("S3 https://key:CANARY-s3-secret@store/bucket denied")) },
        resumeGc: () => Promise.reject(new Error("postgres://codehub:CANARY-database-password@db/codehub: broken")),
        readiness: () => Promise.reject(new Error("redis://:CANARY-redis-password@redis:6379 gone")),
      },
    });
    const keep = async (answer: Response): Promise<Response> => {
      outputs.push(
        JSON.stringify([...answer.headers].filter(([name]) => name !== "set-cookie")),
        await answer.clone().text(),
      );
      return answer;
    };
    const root = await api.user("root", "admin");
    const password = "CANARY-password-1";
    await root.client.createUser({ body: { username: "ada", password } });
    const cookie = await signIn(api.url, api.origin, "ada", password);
    const secret = cookie.split("=")[1] ?? "";
    const get = browserFetch(api.origin, { cookie });
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      browserFetch(api.origin, { cookie, ...headers })(`${api.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }).then(keep);
    const token = (await (
      await browserFetch(api.origin, { cookie })(`${api.url}/api/v1/auth/tokens`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"name":"canary"}',
      })
    ).json()) as { secret: string };
    const stream = openStream(api, { authorization: `Bearer ${token.secret}` });
    await stream.until(() => stream.events.length > 0);

    await post("/api/v1/auth/login", {
      username: "CANARY-typed-into-the-wrong-field",
      password: "CANARY-wrong-password",
    });
    await post("/api/v1/auth/login", { username: "ada", password: ["CANARY-in-an-array"] });
    await post("/api/v1/auth/login", '{"password":"CANARY-broken-json');
    await post("/api/v1/auth/password", { current_password: "CANARY-guess", new_password: "CANARY-new" });
    await post("/api/v1/auth/logout", {}, { authorization: "Basic CANARY-basic-auth" });
    await post("/api/v1/workspaces?code=CANARY-code-in-query", { name: "x", desired_state: "ARCHIVED" });
    await keep(await get(`${api.url}/api/v1/nothing?token=CANARY-token-in-query`, {}));
    await keep(await get(`${api.url}/readyz`, {}));
    const { items } = (await (await get(`${api.url}/api/v1/workspaces`, {})).json()) as { items: { id: string }[] };
    const id = items[0]?.id ?? "";
    const op = "00000000-0000-4000-8000-00000000cafe";
    await api.sql.query(
      `INSERT INTO archives (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count,
         manifest_digest, format_version, verified_at) VALUES ('k', $1, $2, 'version', $3, 1, 1, 1, $3, 1, now())`,
      [id, op, "a".repeat(64)],
    );
    const endpoint = JSON.stringify({ container_id: "c", attempt: op, address: { kind: "tcp", host: "h", port: 1 } });
    await api.sql.query("UPDATE workspaces SET endpoint = $2 WHERE id = $1", [id, endpoint]);
    expect((await keep(await get(`${api.url}/api/v1/workspaces/${id}/logs`, {}))).status).toBe(503);
    expect((await keep(await get(`${api.url}/api/v1/workspaces/${id}/archives/${op}/download`, {}))).status).toBe(503);
    expect(await refusal(root.client.resumeGc())).toBe("INTERNAL");
    await keep(await rawRequest(`${api.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }));
    outputs.push(
      JSON.stringify(await root.client.listAudit({ query: { limit: 500 } })),
      JSON.stringify(await root.client.getSystem()),
    );
    outputs.push(stream.text(), ...api.logs);
    stream.close();

    const everything = outputs.join("\n");
    expect(api.logs.length).toBeGreaterThan(10);
    expect(everything).toContain("request failed");
    const found = everything.match(/.{0,60}CANARY.{0,40}/g) ?? [];
    expect(found).toEqual([]);
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(token.secret);
  });

  it("a flood of sign-ins is refused with Retry-After instead of taking the server down", async () => {
    await using database = await createTestDatabase();
    await using api = await startApi({
      databaseUrl: database.url,
      listens: false,
      hasher: new PasswordHasher({ concurrency: 1, maxWaiting: 2 }),
    });
    const attempt = (index: number) =>
      browserFetch(api.origin, { "x-forwarded-for": `198.51.100.${index}` })(`${api.url}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username: `user${index}`, password: "some password" }),
      });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => attempt(index)));
    const statuses = answers.map((answer) => answer.status);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
    expect(answers.find((answer) => answer.status === 503)?.headers.get("retry-after")).toBe("2");
  });
});
