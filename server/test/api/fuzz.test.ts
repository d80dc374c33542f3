import { errorCatalogue, errorsOf, type Route, type RouteId, routeIds, routes } from "@codehub/contract";
import fc from "fast-check";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { browserFetch, PASSWORD, startApi, type TestApi, type TestUser } from "./harness.ts";

const RUNS_PER_ROUTE = 120;

let database: TestDatabase;
let api: TestApi;
let user: TestUser;
let admin: TestUser;
let ids: string[];
let requests = 0;
const successes = new Map<RouteId, number>();

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({
    databaseUrl: database.url,
    settings: { limits: { maxRunningPerUser: 1000, maxRunningGlobal: 1000 } },
  });
  user = await api.user("fuzzer");
  admin = await api.user("admin", "admin");
  ids = [];
  for (let index = 0; index < 6; index += 1)
    ids.push((await user.client.createWorkspace({ body: { name: `w${index}`, desired_state: "ARCHIVED" } })).id);
  await user.client.deleteWorkspace({ params: { id: ids[0] ?? "" } });
  await api.sql.query("UPDATE workspaces SET phase = 'ERROR', error_reason = 'DataLost' WHERE id = $1", [ids[1]]);
  await api.sql.query("UPDATE workspaces SET phase = 'RUNNING', desired_state = 'RUNNING' WHERE id = $1", [ids[2]]);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

type Schema = TSchema & Record<string, unknown>;

/** Texts that have broken parsers, databases and logs elsewhere. */
const hostile = fc.constantFrom(
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\uffff",
  "\u2028",
  "\r\n",
  "'; DROP TABLE users; --",
  "%00",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "NaN",
  "1e999",
  "-1",
  "99999999999999999999",
  "💥".repeat(60),
  "x".repeat(5000),
  "2026-02-30T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "<script>",
  "[object Object]",
  "true",
  "null",
);
const junk: fc.Arbitrary<unknown> = fc.oneof(hostile, fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));

function fitting(schema: Schema): fc.Arbitrary<string> {
  const max = Number(schema["maxLength"] ?? 60);
  const arbitrary =
    typeof schema["pattern"] === "string"
      ? fc.stringMatching(new RegExp(schema["pattern"], "u"), { size: "small" })
      : fc.string({ minLength: Number(schema["minLength"] ?? 0), maxLength: Math.min(max, 100) });
  return arbitrary.filter((text) => text.length <= max);
}

/** Fields whose meaning no schema tells: mostly what makes sense, so that requests get past them. */
function meaningful(key: string): fc.Arbitrary<unknown> | null {
  const soon = () => new Date(Date.now() + 86_400_000).toISOString();
  const sense: Record<string, fc.Arbitrary<unknown>> = {
    image_ref: fc.constantFrom("codehub/default", "codehub/other:1"),
    keep_awake_until: fc.constantFrom(null, soon()),
    owner: fc.constantFrom("me", "all"),
    cursor: fc.constantFrom("1", "99"),
  };
  const arbitrary = sense[key];
  return arbitrary === undefined ? null : fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: junk });
}

/** Mostly what the schema asks for, sometimes anything at all. */
function fromSchema(schema: Schema): fc.Arbitrary<unknown> {
  const valid = (): fc.Arbitrary<unknown> => {
    if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
    if (schema["const"] !== undefined) return fc.constant(schema["const"]);
    if (Array.isArray(schema["anyOf"])) return fc.oneof(...(schema["anyOf"] as Schema[]).map(fromSchema));
    switch (schema["type"]) {
      case "integer":
        return fc.integer({ min: Number(schema["minimum"] ?? -10), max: Number(schema["maximum"] ?? 1_000_000) });
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "string":
        if (schema["format"] === "uuid")
          return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: fc.uuid() });
        if (schema["format"] === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
        return fc.oneof(
          { weight: 3, arbitrary: fitting(schema) },
          { weight: 1, arbitrary: fc.string({ maxLength: 300, unit: "binary" }) },
        );
      case "object": {
        const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
        const entries = Object.entries(properties).map(
          ([key, value]) => [key, meaningful(key) ?? fromSchema(value)] as const,
        );
        return fc.record(Object.fromEntries(entries), { requiredKeys: (schema["required"] ?? []) as string[] });
      }
      default:
        return fc.jsonValue();
    }
  };
  return fc.oneof({ weight: 24, arbitrary: valid() }, { weight: 1, arbitrary: junk });
}

interface Attempt {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly extra: unknown;
  readonly as: "user" | "admin" | "nobody";
  readonly raw: string | null;
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

const attempts = (route: Route): fc.Arbitrary<Attempt> =>
  fc.record({
    params: fromSchema((route.params ?? { type: "object" }) as Schema).map(asObject),
    query: fromSchema((route.query ?? { type: "object" }) as Schema).map(asObject),
    body: fromSchema((route.body ?? { type: "object" }) as Schema),
    extra: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: junk }),
    as: fc.constantFrom("user", "user", "user", "admin", "nobody"),
    raw: fc.oneof(
      { weight: 20, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom("{", "[1,", '{"__proto__":{"a":1}}', '"text"', "\ufeff{}", "nul") },
    ),
  });

async function send(route: Route, attempt: Attempt): Promise<Response> {
  requests += 1;
  const text = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const encode = (value: unknown) => encodeURIComponent(text(value).toWellFormed());
  const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => encode(attempt.params[key] ?? ids[3]) || "x");
  const query = Object.entries(attempt.query).map(([key, value]) => `${encode(key)}=${encode(value)}`);
  const caller = { user: user.cookie, admin: admin.cookie, nobody: "" }[attempt.as];
  const body =
    attempt.raw ??
    JSON.stringify(attempt.extra === null ? attempt.body : { ...asObject(attempt.body), extra: attempt.extra }) ??
    "";
  return browserFetch(api.origin, caller === "" ? {} : { cookie: caller })(
    `${api.url}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`,
    {
      method: route.method,
      ...(route.method === "GET" ? {} : { headers: { "content-type": "application/json" }, body }),
    },
  );
}

/** Routes whose successful use would take away what the next attempt needs, or never end. */
const special: Partial<Record<RouteId, (attempt: Attempt) => Attempt | null>> = {
  streamEvents: (attempt) => ({ ...attempt, as: "nobody" }),
  logout: (attempt) => ({ ...attempt, as: "nobody" }),
  updateUser: (attempt) => (Object.values(attempt.params).some((value) => value === user.id) ? null : attempt),
  resetUserPassword: (attempt) => (Object.values(attempt.params).some((value) => value === user.id) ? null : attempt),
};

describe("a fuzz over the description of the API", () => {
  it.each(routeIds)(
    "%s: no 5xx, every answer is one the description names and matches its schema",
    { timeout: 300_000 },
    async (id) => {
      const route: Route = routes[id];
      const success = route.success.schema === null ? null : Compile(route.success.schema);
      const also = Object.fromEntries(
        Object.entries(route.also ?? {}).map(([status, schema]) => [status, Compile(schema)]),
      );
      const allowed = new Set<string>(errorsOf(route));
      await fc.assert(
        fc.asyncProperty(attempts(route), async (given) => {
          const attempt = special[id]?.(given) ?? (special[id] === undefined ? given : null);
          if (attempt === null) return;
          const answer = await send(route, attempt);
          const text = await answer.text();
          expect(answer.headers.get("x-request-id"), "every answer has a request id").toMatch(/^[0-9a-f-]{36}$/);
          if (answer.status === route.success.status && !text.startsWith('{"error"')) {
            successes.set(id, (successes.get(id) ?? 0) + 1);
            if (success !== null) expect([...success.Errors(JSON.parse(text))]).toEqual([]);
            return;
          }
          const other = also[String(answer.status)];
          if (other !== undefined) {
            expect(other.Check(JSON.parse(text))).toBe(true);
            return;
          }
          expect(answer.status, text).toBeLessThan(500);
          const { error } = JSON.parse(text) as { error: { code: keyof typeof errorCatalogue; request_id: string } };
          expect(errorCatalogue[error.code].status).toBe(answer.status);
          expect([...allowed, "ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED", "NOT_FOUND"], text).toContain(error.code);
          expect(error.request_id).toBe(answer.headers.get("x-request-id"));
        }),
        { numRuns: RUNS_PER_ROUTE },
      );
    },
  );

  describe("what reaches SQL as a number, a time or a place in a list", () => {
    const numbers = ["0", "-1", "1.5", "1e3", "0x10", " 1", "", "00000000000000000001", "2147483648"].concat(
      ["9007199254740993", "9223372036854775807", "9223372036854775808", "9999999999999999999", "9".repeat(40)],
      ["NaN", "Infinity", "null", "\u0661"],
    );
    const times = [
      "0000-01-01T00:00:00Z",
      "0001-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z",
      "2026-02-30T00:00:00Z",
    ].concat([
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:00:60Z",
      "+275760-09-13T00:00:00Z",
      "-000001-01-01T00:00:00Z",
      "now",
    ]);
    const listTimes = times.map((time) => time.replace("T", " ").replace("Z", "+00"));
    const fine = async (route: Route, parts: Partial<Attempt>) => {
      const attempt: Attempt = { params: {}, query: {}, body: {}, extra: null, as: "admin", raw: null, ...parts };
      const answer = await send(route, attempt);
      expect([200, 201, 400, 403, 404], `${JSON.stringify(parts)}: ${await answer.text()}`).toContain(answer.status);
    };

    it.each(routeIds.filter((id) => "query" in routes[id]))("%s: every parameter", async (id) => {
      const route: Route = routes[id];
      const { properties } = route.query as unknown as { properties: Record<string, unknown> };
      for (const key of Object.keys(properties))
        for (const value of [...numbers, ...times, ...listTimes]) await fine(route, { query: { [key]: value } });
    });

    it("a cursor of every order of the list, with everything its value could be", async () => {
      const values = [...numbers, ...listTimes, "\0", "\ud800", "PENDING", "junk", "", "x".repeat(300), "null"];
      for (const sort of ["name", "created_at", "updated_at", "last_access_at", "phase", "owner"])
        for (const order of ["asc", "desc"])
          for (const value of values) {
            const cursor = Buffer.from(JSON.stringify([sort, order, value, ids[0]])).toString("base64url");
            await fine(routes.listWorkspaces, { query: { sort, order, cursor, owner: "all" } });
          }
    });

    it("every number and time in a body", async () => {
      const { id } = await user.client.createWorkspace({ body: { name: "numbers", desired_state: "ARCHIVED" } });
      const given = [...numbers.map(Number), 2 ** 31, 2 ** 53, 1e308, -0, 60.5].filter(Number.isFinite);
      for (const value of [...given, ...times]) {
        const settings = ["standby_ttl_seconds", "archive_ttl_seconds", "keep_awake_until"];
        for (const key of settings)
          await fine(routes.updateWorkspace, { as: "user", params: { id }, body: { [key]: value } });
        await fine(routes.createToken, { as: "admin", body: { name: "n", expires_in_seconds: value } });
      }
    });

    it("an address that a trusted proxy passes on as it came", async () => {
      for (const address of ["garbage", "1.2.3.4:5", "::1%eth0", "x".repeat(500), "''", "fe80::1%\u00e9"]) {
        const answer = await browserFetch(api.origin, { "x-forwarded-for": address })(`${api.url}/api/v1/auth/login`, {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": "\u00ff".repeat(400) },
          body: JSON.stringify({ username: "fuzzer", password: PASSWORD }),
        });
        expect(answer.status, `${address}: ${await answer.text()}`).toBe(200);
      }
    });
  });

  it("was thousands of requests", () => {
    console.log(`fuzz: ${requests} requests over ${routeIds.length} routes`, Object.fromEntries(successes));
    expect(requests).toBeGreaterThan(3000);
    // A fuzz that only ever gets refusals tests the front door and nothing behind it.
    const reached = routeIds.filter((id) => (successes.get(id) ?? 0) > 0);
    expect(reached).toEqual(
      expect.arrayContaining(["createWorkspace", "updateWorkspace", "deleteWorkspace", "undeleteWorkspace"]),
    );
    expect(reached.length).toBeGreaterThan(20);
    expect(api.logs.filter((line) => line.includes("request failed"))).toEqual([]);
  });
});
