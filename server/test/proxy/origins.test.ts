import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawAddress } from "#core/rows/address.ts";
import { createOrigins, type OriginSettings } from "#proxy/door/origins.ts";
import { foreign } from "#proxy/door/visit.ts";
import { safeNext } from "#proxy/wire/request-target.ts";

const settings = (change: Partial<OriginSettings> = {}): OriginSettings => ({
  baseUrl: new URL("http://localhost:8000"),
  workspaceBaseUrl: "http://{id}.localhost:8000",
  unsafeSingleOrigin: false,
  ...change,
});
const ID = "0d7a6e0e-54a5-4d0b-9a53-3d7f6d3c1b11";
const WORDS = "payments-api-7f3k9p";
const rowOf = (name: string) =>
  name === ID || /^[0-9a-f-]{36}$/.test(name) ? { id: name, address: null } : { id: ID, address: name };
const rows = fc.oneof(
  fc.uuid().map(rowOf),
  fc.tuple(fc.string(), fc.uuid({ version: 4 })).map(([name, uuid]) => rowOf(drawAddress(name, uuid))),
);

describe("hosts", () => {
  const origins = createOrigins(settings());

  test("those that are ours", () => {
    expect(origins.match("localhost:8000")).toEqual({ kind: "dashboard" });
    expect(origins.match("probe.localhost:8000")).toEqual({ kind: "probe" });
    for (const name of [ID, WORDS]) {
      expect(origins.match(`${name}.localhost:8000`)).toMatchObject({
        name,
        port: null,
        origin: `http://${name}.localhost:8000`,
      });
      expect(origins.match(`3000--${name}.localhost:8000`)).toMatchObject({ name, port: 3000 });
    }
  });

  test("any other string is nobody's", () => {
    const near = fc.constantFrom(
      "localhost",
      "localhost:8000",
      ID,
      WORDS,
      ".",
      "--",
      ":8000",
      "3000",
      "probe",
      "@",
      "/",
      "A",
      "\u3002",
      "%2e",
    );
    const host = fc.oneof(
      fc.string(),
      fc.array(near, { maxLength: 6 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(host, (text) => {
        const match = origins.match(text);
        if (match === null) return true;
        if (match.kind === "dashboard") return text === "localhost:8000";
        if (match.kind === "probe") return text === "probe.localhost:8000";
        return text === match.host && text === origins.workspace(rowOf(match.name), match.port).host;
      }),
      { numRuns: 3_000 },
    );
  });

  test("what was recognised makes the same host again", () => {
    fc.assert(
      fc.property(rows, fc.option(fc.integer({ min: 1, max: 65_535 })), (row, port) => {
        const made = origins.workspace(row, port);
        expect(origins.match(made.host)).toEqual(made);
        expect(made.host.split(".")[0]?.length).toBeLessThanOrEqual(63);
      }),
    );
  });

  test("default ports are left out, as browsers do", () => {
    const production = createOrigins(
      settings({ baseUrl: new URL("https://hub.example.com"), workspaceBaseUrl: "https://{id}.ws-example.net:443" }),
    );
    expect(production.workspace(rowOf(ID), null).origin).toBe(`https://${ID}.ws-example.net`);
    expect(production.match(`${ID}.ws-example.net`)).toMatchObject({ name: ID });
    expect(production.match(`${ID}.ws-example.net:443`)).toBeNull();
  });
});

describe("settings", () => {
  test.each([
    "https://ws.example.net",
    "https://x{id}.example.net",
    "https://{id}.example.net/path",
    "ftp://{id}.x",
    "{id}.x",
    "https://{id}..x",
    "https://a.{id}.x",
  ])("%j is not a pattern for workspaces", (workspaceBaseUrl) => {
    expect(() => createOrigins(settings({ workspaceBaseUrl }))).toThrow(/WORKSPACE_BASE_URL/);
  });
});

describe("origins of requests", () => {
  const own = `http://${ID}.localhost:8000`;

  test("for an upgrade or an unsafe method any string but the own origin is foreign", () => {
    const near = fc.constantFrom(
      own,
      ID,
      "http://",
      "https://",
      "null",
      ".localhost:8000",
      "localhost",
      "/",
      ":8000",
      " ",
      "\t",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(near, { maxLength: 5 }).map((p) => p.join("")),
        ),
        fc.constantFrom("POST", "PUT", "PATCH", "DELETE", "PROPFIND"),
        (origin, method) => {
          const expected = origin === own;
          expect(foreign(method, { origin }, own) === null).toBe(expected);
          expect(foreign("GET", { origin, upgrade: "websocket" }, own) === null).toBe(expected);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("where to go next", () => {
  test.each([
    "//e",
    "/\\e",
    "\\\\e",
    "/%09/e\t",
    "https:e",
    "javascript:alert(1)",
    "//e@h",
    "///e",
    "/\n/e",
    " /e",
    "",
    "e",
    "/.codehub/auth?code=x",
    "/\u0000",
    `/${"a".repeat(3_000)}`,
  ])("%j is not followed", (next) => {
    expect(safeNext(next)).toBe("/");
  });

  test("whatever it is, it stays on the origin it is put behind", () => {
    const part = fc.constantFrom(
      "/",
      "\\",
      "//",
      "@",
      ":",
      "e.example",
      "%2f",
      "%5c",
      "\t",
      "\n",
      "?",
      "#",
      "..",
      "javascript:",
      "http:",
      ";",
      "a",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part, { maxLength: 8 }).map((p) => p.join("")),
          fc.webUrl(),
        ),
        (next) => {
          const target = safeNext(next);
          expect(target.startsWith("/")).toBe(true);
          expect(new URL(`http://x.localhost:8000${target}`).origin).toBe("http://x.localhost:8000");
          expect(new URL(target, "http://x.localhost:8000").origin).toBe("http://x.localhost:8000");
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test("a path with its query is kept as it is", () => {
    for (const next of ["/a?b=c&d=%2F", "/?folder=/home/x", "/a/..//b", "/@x", "/%2e%2e/"])
      expect(safeNext(next)).toBe(next);
  });
});
