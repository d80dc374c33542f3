import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressGroup, ensureFirstAdmin } from "#api/accounts/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import {
  browserFetch,
  clientFor,
  PASSWORD,
  refusal,
  signIn,
  startApi,
  type TestApi,
  type TestUser,
} from "./harness.ts";

let database: TestDatabase;
let api: TestApi;
let root: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url });
  root = await api.user("root", "admin");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const login = (username: string, password: string, headers: Record<string, string> = {}) =>
  browserFetch(api.origin, headers)(`${api.url}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });

/** Changes somebody's password in the moment in which the database makes `act` wait for it. */
async function changedWhile<T>(userId: string, act: () => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  try {
    await admin.query("BEGIN");
    await admin.query("UPDATE users SET password_hash = 'another' WHERE id = $1", [userId]);
    await admin.query("DELETE FROM sessions WHERE user_id = $1", [userId]);
    const acting = act();
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await api.sql.query(waiting)).rowCount).toBe(1);
    await admin.query("COMMIT");
    return await acting;
  } finally {
    await admin.end();
  }
}

describe("a password that is changed meanwhile", () => {
  it("leaves nobody signed in who was just signing in with the old one", async () => {
    const { id } = await api.user("late-login");
    const answer = await changedWhile(id, () => login("late-login", PASSWORD));
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
    expect((await api.sql.query("SELECT FROM sessions WHERE user_id = $1", [id])).rowCount).toBe(0);
  });

  it("leaves no token that was just being made", async () => {
    const { id, client } = await api.user("late-token");
    const made = await changedWhile(id, () => refusal(client.createToken({ body: { name: "late" } })));
    expect(made).toBe("UNAUTHENTICATED");
    expect((await api.sql.query("SELECT FROM api_tokens WHERE user_id = $1", [id])).rowCount).toBe(0);
  });

  it("is not changed once more by whoever knew the old one", async () => {
    const { id, client } = await api.user("late-change");
    const body = { current_password: PASSWORD, new_password: "a password of somebody else" };
    expect(await changedWhile(id, () => refusal(client.changePassword({ body })))).toBe("INVALID_CREDENTIALS");
    expect((await api.sql.query("SELECT password_hash FROM users WHERE id = $1", [id])).rows[0]).toEqual({
      password_hash: "another",
    });
  });
});

describe("signing in", () => {
  it("sets exactly the cookie that the browser was found to keep", async () => {
    await api.user("cookie-monster");
    const anonymous = await browserFetch(api.origin)(`${api.url}/api/v1/auth/session`, {});
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.getSetCookie()[0]).toContain("__Host-Http-codehub_probe=1");
    const kept = await login("cookie-monster", PASSWORD, { cookie: "__Host-Http-codehub_probe=1" });
    expect(kept.headers.getSetCookie()[0]).toMatch(
      /^__Host-Http-codehub=[A-Za-z0-9_-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const dropped = await login("cookie-monster", PASSWORD);
    expect(dropped.headers.getSetCookie()[0]).toMatch(
      /^codehub=[A-Za-z0-9_-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it("uses only the prefixed cookie on https, whatever else the request brings", async () => {
    await using secure = await startApi({
      databaseUrl: database.url,
      settings: { baseUrl: new URL("https://codehub.example") },
      listens: false,
    });
    const user = await secure.user("https-user");
    expect(await refusal(user.client.getSession())).toBe("ACCEPTED");
    const plain = user.cookie.replace("__Host-Http-codehub=", "codehub=");
    expect(await refusal(clientFor(secure.url, secure.origin, { cookie: plain }).getSession())).toBe("UNAUTHENTICATED");
    const answer = await browserFetch(secure.origin)(`${secure.url}/api/v1/auth/session`, {});
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000");
  });

  it("refuses two cookies of one name and clears them, because one of them is somebody else's", async () => {
    const { cookie } = await api.user("twice");
    const answer = await browserFetch(api.origin, { cookie: `${cookie}; __Host-Http-codehub=other` })(
      `${api.url}/api/v1/auth/session`,
      {},
    );
    expect(answer.status).toBe(400);
    expect(answer.headers.get("clear-site-data")).toBe('"cookies"');
    expect(answer.headers.getSetCookie().join()).toContain("__Host-Http-codehub=; Max-Age=0");
  });

  it("gives a new secret every time and ends the session that was there before", async () => {
    const user = await api.user("rotating");
    const answer = await login("rotating", PASSWORD, { cookie: user.cookie });
    expect(answer.status).toBe(200);
    const fresh = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect(fresh).not.toBe(user.cookie);
    expect(await refusal(user.client.getSession())).toBe("UNAUTHENTICATED");
  });

  it("answers an unknown name, a wrong password and a disabled account in the same words", async () => {
    const user = await api.user("disabled-one");
    await root.client.updateUser({ params: { id: user.id }, body: { disabled: true } });
    const answers = await Promise.all([
      login("no-such-person", "whatever it is"),
      login("rotating", "whatever it is"),
      login("disabled-one", PASSWORD),
    ]);
    const bodies = await Promise.all(
      answers.map(async (answer) => (await answer.text()).replace(/"request_id":"[^"]*"/, "")),
    );
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401]);
    expect(new Set(bodies).size).toBe(1);
  });

  it("stores no secret that could be used: not the password, not the session, not the token", async () => {
    const user = await api.user("dumped");
    const token = await user.client.createToken({ body: { name: "for the script" } });
    const tables = ["users", "sessions", "api_tokens", "login_throttle", "workspace_events"];
    const dump = (await Promise.all(tables.map((table) => api.sql.query(`SELECT t::text AS line FROM ${table} t`))))
      .flatMap((result) => result.rows.map((row) => String(row.line)))
      .join("\n");
    const session = user.cookie.split("=")[1] ?? "";
    for (const secret of [PASSWORD, session, token.secret, token.secret.slice(8)]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(dump).not.toContain(secret);
    }
    expect(dump).toContain("$argon2id$v=19$m=19456,t=2,p=1$");
  });
});

describe("sessions and passwords", () => {
  it("end everywhere, and a password change ends all others and keeps the one who changed it", async () => {
    const user = await api.user("changing");
    const other = clientFor(api.url, api.origin, { cookie: await signIn(api.url, api.origin, "changing", PASSWORD) });
    const wrong = user.client.changePassword({ body: { current_password: "no", new_password: "a new password" } });
    expect(await refusal(wrong)).toBe("INVALID_CREDENTIALS");
    const answer = await browserFetch(api.origin, { cookie: user.cookie })(`${api.url}/api/v1/auth/password`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ current_password: PASSWORD, new_password: "a new password" }),
    });
    expect(answer.status).toBe(200);
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect(await refusal(other.getSession())).toBe("UNAUTHENTICATED");
    expect(await refusal(user.client.getSession())).toBe("UNAUTHENTICATED");
    const self = clientFor(api.url, api.origin, { cookie });
    expect(await refusal(self.getSession())).toBe("ACCEPTED");
    const third = clientFor(api.url, api.origin, {
      cookie: await signIn(api.url, api.origin, "changing", "a new password"),
    });
    await self.logout({ body: { everywhere: true } });
    expect(await refusal(third.getSession())).toBe("UNAUTHENTICATED");
    const left = await api.sql.query("SELECT count(*)::int AS count FROM sessions WHERE user_id = $1", [user.id]);
    expect(left.rows[0]?.count).toBe(0);
  });

  it("a password change ends API tokens too, unless they are kept on purpose", async () => {
    const user = await api.user("tokened");
    const { secret } = await user.client.createToken({ body: { name: "t" } });
    const script = clientFor(api.url, api.origin, { authorization: `Bearer ${secret}` });
    const change = async (cookie: string, from: string, to: string, extra: object) => {
      const answer = await browserFetch(api.origin, { cookie })(`${api.url}/api/v1/auth/password`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ current_password: from, new_password: to, ...extra }),
      });
      expect(answer.status).toBe(200);
      return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    };
    const cookie = await change(user.cookie, PASSWORD, "the second password", { keep_tokens: true });
    expect(await refusal(script.getSession())).toBe("ACCEPTED");
    await change(cookie, "the second password", "the third password", {});
    expect(await refusal(script.getSession())).toBe("UNAUTHENTICATED");
  });

  it("tokens of a disabled user do not come back when the user does", async () => {
    const user = await api.user("returning");
    const { secret } = await user.client.createToken({ body: { name: "t" } });
    const script = clientFor(api.url, api.origin, { authorization: `Bearer ${secret}` });
    expect(await refusal(script.getSession())).toBe("ACCEPTED");
    await root.client.updateUser({ params: { id: user.id }, body: { disabled: true } });
    await root.client.updateUser({ params: { id: user.id }, body: { disabled: false } });
    expect(await refusal(script.getSession())).toBe("UNAUTHENTICATED");
  });

  it("an administrator's reset ends sessions and tokens and asks for a new password", async () => {
    const user = await api.user("forgetful");
    const { secret } = await user.client.createToken({ body: { name: "t" } });
    const reset = await root.client.resetUserPassword({ params: { id: user.id }, body: {} });
    expect(reset.user.must_change_password).toBe(true);
    expect(await refusal(user.client.getSession())).toBe("UNAUTHENTICATED");
    expect(await refusal(clientFor(api.url, api.origin, { authorization: `Bearer ${secret}` }).getSession())).toBe(
      "UNAUTHENTICATED",
    );
    await signIn(api.url, api.origin, "forgetful", reset.password ?? "");
  });

  it("disabling asks STANDBY for what runs, and the last administrator cannot be lost", async () => {
    const user = await api.user("leaving");
    const { id } = await user.client.createWorkspace({ body: { name: "left running" } });
    await root.client.updateUser({ params: { id: user.id }, body: { disabled: true } });
    expect((await root.client.getWorkspace({ params: { id } })).desired_state).toBe("STANDBY");
    expect(await refusal(root.client.updateUser({ params: { id: root.id }, body: { disabled: true } }))).toBe(
      "LAST_ADMIN",
    );
    expect(await refusal(root.client.updateUser({ params: { id: root.id }, body: { role: "user" } }))).toBe(
      "LAST_ADMIN",
    );
    expect(await refusal(root.client.createUser({ body: { username: "root" } }))).toBe("USERNAME_TAKEN");
  });

  it("tokens work without a browser, are listed without their secret, and end when they are revoked", async () => {
    const user = await api.user("scripting");
    const { secret, token } = await user.client.createToken({ body: { name: "ci", expires_in_seconds: 3600 } });
    const script = clientFor(api.url, api.origin, { authorization: `Bearer ${secret}`, origin: api.origin });
    expect((await script.getSession()).via).toBe("token");
    const bare = await browserFetch(api.origin)(`${api.url}/api/v1/auth/session`, {});
    expect(bare.status).toBe(401);
    expect(JSON.stringify(await user.client.listTokens())).not.toContain(secret);
    await user.client.deleteToken({ params: { id: token.id } });
    expect(await refusal(script.getSession())).toBe("UNAUTHENTICATED");
  });

  it("the first administrator is made once, also by several processes at the same moment", async () => {
    await using empty = await createTestDatabase();
    await using fresh = await startApi({ databaseUrl: empty.url, listens: false });
    const made = await Promise.all(
      Array.from({ length: 4 }, () => ensureFirstAdmin(fresh.deps, { username: "admin", password: null })),
    );
    const shown = made.filter((result) => result !== null);
    expect(shown).toHaveLength(1);
    await signIn(fresh.url, fresh.origin, "admin", shown[0]?.password ?? "");
    // It stood on somebody's screen.
    expect(await fresh.deps.accounts.findForLogin("admin")).toMatchObject({ account: { mustChangePassword: true } });
    expect(await ensureFirstAdmin(fresh.deps, { username: "admin", password: null })).toBeNull();
  });
});

describe("throttling", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });

  it("slows one address down at one account, says for how long, and lets nobody else feel it", async () => {
    await api.user("guessed");
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1)
      statuses.push((await login("guessed", "not this one", from("203.0.113.7"))).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const blocked = await login("guessed", PASSWORD, from("203.0.113.7"));
    expect(blocked.status).toBe(429);
    expect(Number(blocked.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await login("guessed", PASSWORD, from("198.51.100.1"))).status).toBe(200);
  });

  const deviceOf = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .find((line) => line.includes("codehub_device="))
      ?.split(";")[0] ?? "";

  it("of somebody at a shared address keeps nobody else there from signing in", async () => {
    await api.user("newcomer");
    for (let attempt = 0; attempt < 40; attempt += 1) await login(`guess-${attempt}`, "a guess", from("192.0.2.10"));
    expect((await login("newcomer", PASSWORD, from("192.0.2.10"))).status).toBe(200);
  });

  it("does not reach a browser that has signed in before, wherever the guesses come from", async () => {
    await api.user("besieged");
    const first = await login("besieged", PASSWORD, from("192.0.2.20"));
    const device = deviceOf(first);
    expect(device).toMatch(/^codehub_device=[\w-]+\.[\w-]{43}$/);
    for (let attempt = 0; attempt < 6; attempt += 1) await login("besieged", "a guess", from("192.0.2.20"));
    expect((await login("besieged", PASSWORD, from("192.0.2.20"))).status).toBe(429);
    const forged = device.replace(/\.(.)/, (_, first: string) => (first === "A" ? ".B" : ".A"));
    expect((await login("besieged", PASSWORD, { ...from("192.0.2.20"), cookie: forged })).status).toBe(429);
    expect((await login("besieged", PASSWORD, { ...from("192.0.2.20"), cookie: device })).status).toBe(200);
  });

  it("counts what a known browser guesses for itself, and a new password makes it unknown", async () => {
    const user = await api.user("stolen-laptop");
    const device = deviceOf(await login("stolen-laptop", PASSWORD, from("192.0.2.30")));
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1)
      statuses.push(
        (await login("stolen-laptop", "a guess", { ...from(`192.0.2.${40 + attempt}`), cookie: device })).status,
      );
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    await user.client.changePassword({ body: { current_password: PASSWORD, new_password: "another password" } });
    const again = await login("stolen-laptop", "another password", { ...from("192.0.2.50"), cookie: device });
    expect([again.status, deviceOf(again) === device]).toEqual([200, false]);
  });

  it("survives a restart", async () => {
    await api.sql.query("UPDATE login_throttle SET blocked_until = now() + interval '10 minutes' WHERE failures >= 5");
    await using restarted = await startApi({ databaseUrl: database.url, listens: false });
    const answer = await browserFetch(restarted.origin, from("203.0.113.7"))(`${restarted.url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "guessed", password: PASSWORD }),
    });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(500);
  });

  it("counts attempts made at the same moment one by one: a burst gets no more guesses than a queue", async () => {
    await api.user("burst");
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => login("burst", "wrong password", from("203.0.113.50"))),
    );
    const tried = answers.filter((answer) => answer.status === 401).length;
    expect(tried).toBe(5);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(15);
  });

  it("treats an unknown name exactly as a known one", async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1)
      statuses.push((await login("phantom", "not this one", from("203.0.113.99"))).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it("counts an IPv6 household as one address", () => {
    expect(addressGroup("2001:db8:1:2:3:4:5:6")).toBe(addressGroup("2001:db8:1:2:ffff::1"));
    expect(addressGroup("2001:db8:1:3::1")).not.toBe(addressGroup("2001:db8:1:2::1"));
    expect(addressGroup("::ffff:192.0.2.1")).toBe("192.0.2.1");
    expect(addressGroup("::1")).toBe("0:0:0:0::/64");
  });

  it("believes a forwarded address only from a proxy it was told to trust", async () => {
    await using direct = await startApi({
      databaseUrl: database.url,
      listens: false,
      settings: { trustedProxies: [] },
    });
    await api.user("spoofed");
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const answer = await browserFetch(direct.origin, from(`198.51.100.${attempt}`))(
        `${direct.url}/api/v1/auth/login`,
        {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ username: "spoofed", password: "wrong password" }),
        },
      );
      statuses.push(answer.status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});
