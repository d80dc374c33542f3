import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostMatches } from "#api/http/origin-guard.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { browserFetch, PASSWORD, rawRequest, refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

const SCRIPT = `console.log("${"x".repeat(2000)}")`;

let database: TestDatabase;
let dashboard: string;
let api: TestApi;
let ada: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  dashboard = await mkdtemp(join(tmpdir(), "codehub-dashboard-"));
  await mkdir(join(dashboard, "assets"));
  await writeFile(join(dashboard, "index.html"), "<!doctype html><title>CodeHub</title>");
  await writeFile(join(dashboard, "assets", "app-1.js"), SCRIPT);
  await writeFile(join(dashboard, "assets", "app-1.js.br"), brotliCompressSync(SCRIPT));
  await writeFile(join(dashboard, ".built-from"), "a note of the build");
  api = await startApi({
    databaseUrl: database.url,
    dashboardDirectory: dashboard,
    settings: { baseUrl: new URL("http://localhost:8000"), workspaceBaseUrl: "http://{id}.localhost:8000" },
  });
  ada = await api.user("ada");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
  await rm(dashboard, { recursive: true });
});

const post = (
  headers: Record<string, string>,
  path = "/api/v1/workspaces",
  body = '{"name":"x","desired_state":"ARCHIVED"}',
) =>
  rawRequest(`${api.url}${path}`, {
    method: "POST",
    headers: { host: "localhost:8000", cookie: ada.cookie, ...headers },
    body,
  });
const json = { "content-type": "application/json" };
const own = { origin: "http://localhost:8000" };

describe("requests that another site caused", () => {
  it("change nothing: every foreign, missing or opaque origin is refused, login and logout included", async () => {
    const foreign = [
      "null",
      "http://evil.example",
      "http://localhost",
      "http://localhost:8001",
      "https://localhost:8000",
      "http://localhost:8000.evil.example",
      "http://LOCALHOST:8000",
      "http://3f2b.localhost:8000",
      "",
    ];
    for (const origin of foreign)
      for (const path of ["/api/v1/workspaces", "/api/v1/auth/login", "/api/v1/auth/logout"])
        expect((await post({ ...json, origin }, path, "{}")).status, `${origin} ${path}`).toBe(403);
    expect((await post(json)).status).toBe(403);
    for (const site of ["cross-site", "same-site", "none"])
      expect((await post({ ...json, ...own, "sec-fetch-site": site })).status, site).toBe(403);
    expect((await ada.client.listWorkspaces()).total).toBe(0);
    expect((await post({ ...json, ...own, "sec-fetch-site": "same-origin" })).status).toBe(201);
  });

  it("change nothing when a form could have sent them, whatever their origin", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "text/plain;application/json",
    ])
      expect((await post({ ...own, "content-type": type })).status, type).toBe(403);
    expect((await post({ ...own })).status).toBe(403);
    expect((await post({ ...own, "content-type": "application/xml" })).status).toBe(415);
  });

  it("read nothing either: data is refused to other sites, also to other ports of this host", async () => {
    const get = (headers: Record<string, string>) =>
      rawRequest(`${api.url}/api/v1/workspaces`, {
        headers: { host: "localhost:8000", cookie: ada.cookie, ...headers },
      });
    expect((await get({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await get({ "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await get({ origin: "http://localhost:9000" })).status).toBe(403);
    expect((await get({ "sec-fetch-site": "same-origin" })).status).toBe(200);
    expect((await get({})).headers.get("access-control-allow-origin")).toBeNull();
  });

  it("are let through with an API token, which no page can attach by accident", async () => {
    const { secret } = await ada.client.createToken({ body: { name: "cli" } });
    const answer = await rawRequest(`${api.url}/api/v1/workspaces`, {
      method: "POST",
      headers: { host: "localhost:8000", authorization: `Bearer ${secret}`, ...json },
      body: '{"name":"from a script","desired_state":"ARCHIVED"}',
    });
    expect(answer.status).toBe(201);
    expect((await post({ ...json, origin: "http://evil.example", authorization: `Bearer ${secret}` })).status).toBe(
      403,
    );
  });
});

describe("where workspaces share the dashboard's origin", () => {
  it("what cannot be undone needs the password again, which a workspace's script does not have", async () => {
    await using single = await startApi({
      databaseUrl: database.url,
      listens: false,
      settings: { unsafeSingleOrigin: true },
    });
    const user = await single.user("unsafe");
    const { id, name } = await user.client.createWorkspace({ body: { name: "w", desired_state: "ARCHIVED" } });
    const reset = { params: { id }, body: { confirm: name } };
    expect(await refusal(user.client.resetWorkspace(reset))).toBe("PASSWORD_REQUIRED");
    expect(await refusal(user.client.deleteWorkspace({ params: { id } }))).toBe("PASSWORD_REQUIRED");
    expect(await refusal(user.client.createToken({ body: { name: "t" } }))).toBe("PASSWORD_REQUIRED");
    expect(await refusal(user.client.resetWorkspace(reset, { password: "guess" }))).toBe("INVALID_CREDENTIALS");
    expect(await refusal(user.client.resetWorkspace(reset, { password: PASSWORD }))).toBe("ACCEPTED");
    expect(await refusal(user.client.updateWorkspace({ params: { id }, body: { name: "still easy" } }))).toBe(
      "ACCEPTED",
    );
  });
});

describe("hosts", () => {
  it("other than the dashboard's own are answered 421, except to probes", async () => {
    const at = (host: string, path: string) => rawRequest(`${api.url}${path}`, { headers: { host } });
    for (const host of [
      "evil.example",
      "localhost",
      "localhost:8001",
      "127.0.0.1:8000",
      "localhost:8000.evil.example",
      "x.localhost:8000",
    ]) {
      expect((await at(host, "/")).status, host).toBe(421);
      expect((await at(host, "/api/v1/auth/session")).status, host).toBe(421);
      expect((await at(host, "/healthz")).status, host).toBe(200);
    }
    expect((await at("LOCALHOST:8000", "/")).status).toBe(200);
  });

  it("are compared whole: no other string passes", () => {
    const base = new URL("https://codehub.example");
    expect(hostMatches("codehub.example", base)).toBe(true);
    expect(hostMatches("codehub.example:443", base)).toBe(true);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.webAuthority({ withPort: true })), (host) => {
        fc.pre(!/^codehub\.example(:443)?$/i.test(host));
        return !hostMatches(host, base);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the dashboard", () => {
  it("comes with a policy that allows its own files only, and every page of it is the same file", async () => {
    const get = browserFetch(api.origin);
    for (const path of ["/", "/workspaces/3", "/login?next=x"]) {
      const answer = await get(`${api.url}${path}`, {});
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("<title>CodeHub");
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("connect-src 'self' http://probe.localhost:8000");
      expect(policy).not.toContain("unsafe");
      expect(answer.headers.get("cache-control")).toBe("no-cache");
      expect(answer.headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(answer.headers.get("referrer-policy")).toBe("same-origin");
    }
  });

  it("is served compressed and cached by content, and nothing outside it is served at all", async () => {
    const get = browserFetch(api.origin, { "accept-encoding": "br" });
    const script = await get(`${api.url}/assets/app-1.js`, {});
    expect(script.headers.get("content-encoding")).toBe("br");
    expect(await script.text()).toBe(String(brotliCompressSync(SCRIPT)));
    const plain = await browserFetch(api.origin, { "accept-encoding": "gzip" })(`${api.url}/assets/app-1.js`, {});
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, SCRIPT]);
    expect(await (await get(`${api.url}/.built-from`, {})).text()).toContain("<title>CodeHub");
    expect(script.headers.get("cache-control")).toContain("immutable");
    const etag = script.headers.get("etag") ?? "";
    expect((await browserFetch(api.origin, { "if-none-match": etag })(`${api.url}/assets/app-1.js`, {})).status).toBe(
      304,
    );
    for (const path of [
      "/assets/..%2f..%2fetc/passwd",
      "/assets/none.js",
      "/assets/..%5c..%5cx",
      "/assets/app-1.js.br",
    ])
      expect((await get(`${api.url}${path}`, {})).status, path).toBe(404);
    expect((await get(`${api.url}/api/v1/nothing`, {})).status).toBe(404);
    for (const path of ["/", "/assets/app-1.js", "/workspaces/3"]) {
      const posted = await get(`${api.url}${path}`, { method: "POST", headers: { "content-type": "text/plain" } });
      expect([posted.status, posted.headers.get("allow")], path).toEqual([405, "GET, HEAD"]);
    }
  });

  it("has a reference page without any script, and a description that names every route", async () => {
    const page = await browserFetch(api.origin)(`${api.url}/api/v1/reference`, {});
    const html = await page.text();
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(html).not.toContain("<script");
    expect(html).toContain("/api/v1/workspaces/{id}/explain");
    const document = (await (await browserFetch(api.origin)(`${api.url}/api/v1/openapi.json`, {})).json()) as {
      openapi: string;
    };
    expect(document.openapi).toBe("3.1.0");
  });
});
