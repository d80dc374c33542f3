import { type Route, type RouteId, routeIds, routes } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashSecret } from "#api/accounts/secrets.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { browserFetch, PASSWORD, signIn, startApi, type TestApi, type TestUser } from "./harness.ts";

/** A valid request of every route. A route that is missing here does not compile, and so cannot be forgotten. */
const samples: Record<RouteId, { readonly body?: unknown; readonly query?: string }> = {
  login: { body: { username: "nobody", password: "wrong password" } },
  logout: { body: {} },
  changePassword: { body: { current_password: "wrong password", new_password: "another password" } },
  getSession: {},
  listTokens: {},
  createToken: { body: { name: "matrix" } },
  deleteToken: {},
  getKeys: {},
  putKeySettings: { body: { git_name: "M", git_email: "m@x.org", dotfiles_address: null, dotfiles_command: null } },
  makeSshKey: {},
  deleteSshKey: {},
  putCredential: { body: { host: "git.example.com", username: "m", password: "a token" } },
  deleteCredential: {},
  putVariable: { body: { name: "MATRIX", value: "v", is_secret: true } },
  deleteVariable: {},
  testKey: { body: { credential_id: null, address: "git@git.example.com:team/app" } },
  getKeyTest: {},
  getUserKeys: {},
  listWorkspaceVariables: {},
  putWorkspaceVariable: { body: { name: "MATRIX", value: "v", is_secret: false } },
  deleteWorkspaceVariable: {},
  listUsers: {},
  listOwners: {},
  createUser: { body: { username: "matrix-user", password: "a long password" } },
  updateUser: { body: { role: "user" } },
  deleteUser: { query: "?confirm=nobody" },
  giveLeft: { body: { user_id: "00000000-0000-4000-8000-00000000abcd" } },
  resetUserPassword: { body: {} },
  getUserAccess: {},
  endUserAccess: {},
  endUserSession: {},
  revokeUserToken: {},
  listWorkspaces: {},
  createWorkspace: { body: { name: "matrix", desired_state: "ARCHIVED" } },
  inspectRepository: { body: { address: "https://github.com/team/app" } },
  getWorkspace: {},
  updateWorkspace: { body: { desired_state: "STANDBY" } },
  deleteWorkspace: {},
  recoverWorkspace: { body: {} },
  undeleteWorkspace: {},
  resetWorkspace: { body: { confirm: "theirs" } },
  restartWorkspace: {},
  changeAddress: { body: { address: "words" } },
  setRepository: { body: { address: "https://example.com/o/r" } },
  skipSetup: {},
  getSetupLog: {},
  getProject: {},
  getStepOutput: { query: "?step=onCreate" },
  allowCommands: { body: { digest: "abc" } },
  growHome: { body: { size_bytes: 2 ** 31 } },
  declareNodeOff: { body: { confirm: "node-1" } },
  explainWorkspace: {},
  getHomeSpace: {},
  emptyCache: { body: {} },
  listHistory: {},
  getUsage: {},
  getLogs: {},
  listPorts: {},
  sharePort: { body: { audience: "users", for_seconds: 3_600 } },
  unsharePort: {},
  listArchives: {},
  restoreArchive: {},
  verifyArchive: {},
  downloadArchive: {},
  streamEvents: {},
  getSystem: {},
  getExamination: {},
  getAttention: {},
  resumeGc: {},
  listAudit: {},
  getAuditFacets: {},
  downloadAudit: {},
  getUsageReport: {},
  downloadUsage: {},
  getOpenApi: {},
  getReference: {},
  getHealth: {},
  getReadiness: {},
  getMetrics: {},
};

let database: TestDatabase;
let api: TestApi;
let owner: TestUser;
let other: TestUser;
let admin: TestUser;
let live: string;
let deleted: string;
let callers: Record<string, Record<string, string>>;
let passwordDue: Record<"session" | "token", Record<string, string>>;
const opId = "00000000-0000-4000-8000-00000000abcd";
let requests = 0;

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url });
  [owner, other, admin] = [await api.user("owner"), await api.user("other"), await api.user("admin", "admin")];
  live = (await owner.client.createWorkspace({ body: { name: "theirs", desired_state: "ARCHIVED" } })).id;
  deleted = (await owner.client.createWorkspace({ body: { name: "gone", desired_state: "ARCHIVED" } })).id;
  await owner.client.deleteWorkspace({ params: { id: deleted } });
  await archiveOf(live);

  const revoked = await signIn(api.url, api.origin, "owner", PASSWORD);
  await browserFetch(api.origin, { cookie: revoked })(`${api.url}/api/v1/auth/logout`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const expired = await signIn(api.url, api.origin, "owner", PASSWORD);
  const hash = hashSecret(expired.split("=")[1] ?? "");
  await api.sql.query("UPDATE sessions SET expires_at = now() - interval '1 second' WHERE token_hash = $1", [hash]);
  const disabled = await api.user("disabled");
  const disabledToken = await disabled.client.createToken({ body: { name: "t" } });
  // Behind the API's back: its own way of disabling also deletes the session, and here the session must survive.
  await api.sql.query("UPDATE users SET disabled_at = now() WHERE id = $1", [disabled.id]);
  const token = await owner.client.createToken({ body: { name: "revoked" } });
  await owner.client.deleteToken({ params: { id: token.token.id } });
  const outdated = await owner.client.createToken({ body: { name: "outdated" } });
  await api.sql.query("UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE id = $1", [
    outdated.token.id,
  ]);
  callers = {
    "no session": {},
    "garbage cookie": { cookie: "__Host-Http-codehub=garbage" },
    "revoked session": { cookie: revoked },
    "expired session": { cookie: expired },
    "disabled user": { cookie: disabled.cookie },
    "disabled user's token": bearer(disabledToken.secret),
    "revoked token": bearer(token.secret),
    "expired token": bearer(outdated.secret),
    "garbage token": bearer(`codehub_${"x".repeat(43)}`),
    "basic authorization beside a good cookie": { authorization: "Basic eDp5", cookie: owner.cookie },
  };

  // An administrator, so that nothing else refuses what this one asks for.
  const due = await api.user("due", "admin");
  const dueToken = await due.client.createToken({ body: { name: "t" } });
  await api.sql.query("UPDATE users SET must_change_password = true WHERE id = $1", [due.id]);
  passwordDue = { session: { cookie: due.cookie }, token: bearer(dueToken.secret) };
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

async function archiveOf(id: string) {
  const sha = "a".repeat(64);
  await api.sql.query(
    `INSERT INTO archives (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count, manifest_digest,
       format_version, verified_at) VALUES ($1, $2, $3, 'version', $4, 1, 1, 1, $4, 1, now())`,
    [`${id}/${opId}/home.tar.zst`, id, opId, sha],
  );
}

const callRoute = async (id: RouteId, headers: Record<string, string>, workspace: string): Promise<number> =>
  (await ask(id, headers, workspace)).status;

async function codeOf(answer: Response): Promise<string | null> {
  const body = await answer.text();
  return body.startsWith('{"error"') ? (JSON.parse(body) as { error: { code: string } }).error.code : null;
}

async function ask(id: RouteId, headers: Record<string, string>, workspace: string): Promise<Response> {
  requests += 1;
  const route: Route = routes[id];
  const target = route.path.startsWith("/api/v1/users/") ? other.id : workspace;
  const path = route.path
    .replace(":id", target)
    .replace(/:\w+_id/, opId)
    .replace(":port", "3000")
    .replace(":cache", "npm");
  const unsafe = route.method !== "GET";
  return browserFetch(api.origin, headers)(`${api.url}${path}`, {
    method: route.method,
    ...(unsafe
      ? { headers: { "content-type": "application/json" }, body: JSON.stringify(samples[id].body ?? {}) }
      : {}),
  });
}

async function fingerprint(): Promise<string> {
  const tables = ["workspaces", "users", "sessions", "api_tokens", "archives", "port_shares"];
  const rows = await Promise.all(
    tables.map((table) =>
      api.sql.query(`SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) AS sum FROM ${table} t`),
    ),
  );
  return rows.map((result) => String(result.rows[0]?.sum)).join(" ");
}

const guarded = routeIds.filter((id) => routes[id].audience !== "public");

describe("the authorization matrix, generated from the route table", () => {
  it("answers 401 to every caller who is not alive, on every route, and changes nothing", async () => {
    const before = await fingerprint();
    for (const [caller, headers] of Object.entries(callers))
      for (const id of guarded) expect(await callRoute(id, headers, live), `${id} by ${caller}`).toBe(401);
    expect(await fingerprint()).toBe(before);
  });

  it("answers 404 to another user for every workspace route and 403 for every admin route, and changes nothing", async () => {
    const before = await fingerprint();
    for (const id of guarded) {
      const { audience } = routes[id];
      if (audience === "user") continue;
      const expected = audience === "admin" ? 403 : 404;
      for (const workspace of [live, deleted, "00000000-0000-4000-8000-00000000dead"])
        expect(await callRoute(id, { cookie: other.cookie }, workspace), `${id} on ${workspace}`).toBe(expected);
    }
    expect(await fingerprint()).toBe(before);
  });

  it("answers another user's workspace exactly as one that does not exist", async () => {
    for (const id of guarded.filter((candidate) => routes[candidate].audience.startsWith("owner"))) {
      const route: Route = routes[id];
      const [theirs, none] = await Promise.all(
        [live, "00000000-0000-4000-8000-00000000dead"].map(async (workspace) => {
          const path = route.path
            .replace(":id", workspace)
            .replace(/:\w+_id/, opId)
            .replace(":port", "3000")
            .replace(":cache", "npm");
          const answer = await browserFetch(api.origin, { cookie: other.cookie })(`${api.url}${path}`, {
            method: route.method,
            headers: route.method === "GET" ? {} : { "content-type": "application/json" },
            ...(route.method === "GET" ? {} : { body: JSON.stringify(samples[id].body ?? {}) }),
          });
          requests += 1;
          return { status: answer.status, body: (await answer.text()).replace(/"request_id":"[^"]*"/, "") };
        }),
      );
      expect(theirs, id).toEqual(none);
    }
  });

  it("lets whoever must change the password do that, read the session and sign out, and nothing else", async () => {
    // The first use of a token is noted in its row.
    await callRoute("getSession", passwordDue.token, live);
    const before = await fingerprint();
    const stillServed = ["changePassword", "getSession", "logout"];
    for (const [by, headers] of Object.entries(passwordDue))
      for (const id of guarded) {
        // Signing out comes last, or there would be no session for the rest.
        if (id === "logout") continue;
        const answer = await ask(id, headers, live);
        const code = await codeOf(answer);
        if (stillServed.includes(id)) expect(code, `${id} by ${by}`).not.toBe("PASSWORD_CHANGE_REQUIRED");
        else expect([answer.status, code], `${id} by ${by}`).toEqual([403, "PASSWORD_CHANGE_REQUIRED"]);
      }
    expect(await fingerprint()).toBe(before);
    expect(await callRoute("getSession", passwordDue.session, live)).toBe(200);
    expect(await callRoute("logout", passwordDue.session, live)).toBe(204);
    expect(await callRoute("getSession", passwordDue.session, live)).toBe(401);
  });

  it("keeps tokens from what would outlive them, and changes nothing", async () => {
    const needSession = [
      ...["changePassword", "createToken", "emptyCache", "getHomeSpace", "resetUserPassword", "sharePort"],
    ];
    const { secret } = await admin.client.createToken({ body: { name: "scripts" } });
    expect(await callRoute("listTokens", bearer(secret), live)).toBe(200);
    const before = await fingerprint();
    for (const id of needSession as RouteId[]) {
      const answer = await ask(id, bearer(secret), live);
      expect([answer.status, await codeOf(answer)], id).toEqual([403, "SESSION_REQUIRED"]);
    }
    expect(await fingerprint()).toBe(before);
    expect(routeIds.filter((id) => "sessionOnly" in routes[id]).sort()).toEqual(needSession);
  });

  it("keeps administrators out of what only the owner may do, and changes nothing", async () => {
    const before = await fingerprint();
    for (const id of guarded.filter((candidate) => routes[candidate].audience === "owner"))
      expect(await callRoute(id, { cookie: admin.cookie }, live), id).toBe(403);
    expect(await fingerprint()).toBe(before);
  });

  it("refuses every wish about a deleted workspace but deleting it and taking it out, and changes nothing", async () => {
    const before = await fingerprint();
    const requestStore = [
      "updateWorkspace",
      "recoverWorkspace",
      "resetWorkspace",
      "restartWorkspace",
      "changeAddress",
    ] as const;
    for (const id of requestStore) expect(await callRoute(id, { cookie: owner.cookie }, deleted), id).toBe(409);
    for (const id of ["restoreArchive", "verifyArchive", "downloadArchive"] as const)
      expect(await callRoute(id, { cookie: owner.cookie }, deleted), id).toBe(404);
    expect(await fingerprint()).toBe(before);
  });

  it("answers a known address with another method 405 and says which there are, whoever asks", async () => {
    const before = await fingerprint();
    const streams = routeIds.filter((id) => "streams" in routes[id]).map((id): string => routes[id].path);
    for (const path of new Set<string>(routeIds.map((id) => routes[id].path))) {
      const served: string[] = routeIds.filter((id) => routes[id].path === path).map((id) => routes[id].method);
      if (served.includes("GET") && !streams.includes(path)) served.push("HEAD");
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"]) {
        if (served.includes(method)) continue;
        for (const headers of [{ cookie: admin.cookie }, {}]) {
          requests += 1;
          const url = `${api.url}${path
            .replace(":id", live)
            .replace(/:\w+_id/, opId)
            .replace(":port", "3000")
            .replace(":cache", "npm")}`;
          const answer = await browserFetch(api.origin, headers)(url, { method });
          expect(answer.status, `${method} ${path}`).toBe(405);
          expect(answer.headers.get("allow")?.split(", ").sort(), `${method} ${path}`).toEqual(served.sort());
          if (method !== "HEAD") expect(await codeOf(answer)).toBe("METHOD_NOT_ALLOWED");
        }
      }
    }
    expect(await fingerprint()).toBe(before);
    console.log(`authorization matrix: ${requests} requests over ${routeIds.length} routes`);
  });

  it("answers HEAD as GET without the body, wherever GET is not a stream", async () => {
    const readable = routeIds.filter((id) => routes[id].method === "GET" && !("streams" in routes[id]));
    for (const id of readable) {
      const path = routes[id].path
        .replace(":id", live)
        .replace(/:\w+_id/, opId)
        .replace(":port", "3000")
        .replace(":cache", "npm");
      const headers = { cookie: owner.cookie };
      const [head, get] = [
        await browserFetch(api.origin, headers)(`${api.url}${path}`, { method: "HEAD" }),
        await browserFetch(api.origin, headers)(`${api.url}${path}`, {}),
      ];
      expect([head.status, head.headers.get("content-type")], id).toEqual([
        get.status,
        get.headers.get("content-type"),
      ]);
      expect(await head.text(), id).toBe("");
      expect((await browserFetch(api.origin, {})(`${api.url}${path}`, { method: "HEAD" })).status, id).toBe(
        routes[id].audience === "public" ? 200 : 401,
      );
    }
  });

  it("lets the public see health, readiness and the description of the API, and nothing else", async () => {
    const open = routeIds.filter((id) => routes[id].audience === "public").sort();
    expect(open).toEqual(["getHealth", "getOpenApi", "getReadiness", "getReference", "login"].sort());
    for (const id of open) expect(await callRoute(id, {}, live), id).toBe(id === "login" ? 401 : 200);
  });
});
