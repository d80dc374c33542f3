import { describe, expect, it } from "vitest";
import type { HomeSetup } from "#core/rows/setup.ts";
import { EMPTY_HOME_CONTEXT } from "#core/rows/workspace.ts";
import { setupDue } from "#core/rules/setup.ts";
import { AT_REST, archiveRecord, NOW, OLDER_ATTEMPT, SOURCE } from "../../../test/fixtures/workspace.ts";
import { answerRequest } from "./answer-request.ts";
import { requestCommands, requestRepository, requestSkip } from "./repository.ts";

const SLOTS = { ofOwner: 0, global: 0 };
const input = (row: ReturnType<typeof AT_REST.STANDBY> | null) => ({ row, now: NOW, slots: SLOTS });
const WISH = { source: SOURCE, keysAllowed: null };
const OTHER = { ...SOURCE, key: "git.example.com/team/other" };

describe("a repository is asked for", () => {
  it("as a request that counts, with its keys as they were", () => {
    const row = { ...AT_REST.STANDBY(), keysAllowed: false };
    expect(requestRepository(input(row), WISH, "me")).toMatchObject({
      write: { source: SOURCE, setupWanted: 1, keysAllowed: false, desiredVersion: row.desiredVersion + 1 },
      events: [{ kind: "repository", code: "repository_wanted", details: { repository: SOURCE.key } }],
    });
  });

  it("again, or another one", () => {
    const row = { ...AT_REST.STANDBY(), source: SOURCE, setupWanted: 3 };
    const again = requestRepository(input(row), { source: null, keysAllowed: true }, "me");
    expect(again.write).toMatchObject({ source: SOURCE, setupWanted: 4, keysAllowed: true });
    const other = requestRepository(input(row), { source: OTHER, keysAllowed: null }, "me");
    expect(other.write).toMatchObject({ source: OTHER, setupWanted: 4 });
  });

  it("by a workspace that runs with a restart, once", () => {
    const row = AT_REST.RUNNING();
    const verdict = requestRepository(input(row), WISH, "me");
    expect(verdict.write).toMatchObject({ request: { version: 1, action: { kind: "restart" } } });
    const pending = { ...row, request: { version: 1, action: { kind: "restart" } } } as const;
    expect(requestRepository(input(pending), WISH, "me").result).toEqual({
      accepted: false,
      refusal: "REQUEST_PENDING",
    });
    expect(requestRepository(input(AT_REST.STANDBY()), WISH, "me").write).not.toHaveProperty("request");
  });

  it("by a workspace that is being started without it, with a restart too", () => {
    const row = { ...AT_REST.STANDBY(), desiredState: "RUNNING", operation: "STARTING" } as const;
    expect(requestRepository(input(row), WISH, "me").write).toMatchObject({
      request: { action: { kind: "restart" } },
    });
    expect(requestRepository(input({ ...row, desiredState: "STANDBY" }), WISH, "me").write).not.toHaveProperty(
      "request",
    );
  });

  it("is refused where there is none, or no workspace", () => {
    const nothing = { source: null, keysAllowed: null };
    expect(requestRepository(input(AT_REST.STANDBY()), nothing, "me").result).toMatchObject({
      refusal: "NO_REPOSITORY",
    });
    expect(requestRepository(input({ ...AT_REST.STANDBY(), deletedAt: NOW }), WISH, "me").result).toMatchObject({
      refusal: "DELETED",
    });
    expect(requestRepository(input(null), WISH, "me").result).toMatchObject({ refusal: "NOT_FOUND" });
  });
});

it("is looked for again in a home that comes out of another archive", () => {
  const setup: HomeSetup = {
    ...{ version: 1, state: "ready", folder: "project", commit: "abc", branch: "main", failure: null, notices: [] },
    ...{ at: NOW, tookMs: 1 },
  };
  const row = {
    ...AT_REST.ARCHIVED(),
    ...{ source: SOURCE, setupWanted: 1, homeCtx: { ...EMPTY_HOME_CONTEXT, setup } },
    request: { version: 1, action: { kind: "use_archive", opId: OLDER_ATTEMPT } } as const,
  };
  const older = archiveRecord({ state: "version" });
  const answered = answerRequest({ row, archives: [older], volumes: [], now: NOW });
  expect(answered?.patch).toMatchObject({ archiveKey: older.key, homeCtx: { setup: null } });
  expect(setupDue({ ...row, ...answered?.patch })).toBe(true);
});

describe("a repository is not waited for", () => {
  it("up to what was asked for", () => {
    const row = { ...AT_REST.STANDBY(), source: SOURCE, setupWanted: 3 };
    expect(requestSkip(input(row), "me").write).toEqual({ setupSkipped: 3, desiredVersion: row.desiredVersion + 1 });
  });

  it("only where there is one", () => {
    expect(requestSkip(input(AT_REST.STANDBY()), "me").result).toMatchObject({ refusal: "NO_REPOSITORY" });
  });
});

describe("commands of a repository are agreed to", () => {
  const from = (row: ReturnType<typeof AT_REST.STANDBY>, change: object) =>
    requestCommands(input({ ...row, source: SOURCE, ...change }), "me");
  const restart = { version: 1, action: { kind: "restart" } } as const;
  const verify = { version: 1, action: { kind: "verify_archive", opId: OLDER_ATTEMPT } } as const;
  const starting = { desiredState: "RUNNING", operation: "STARTING" } as const;

  it.each([
    ["one that runs", AT_REST.RUNNING(), {}, restart],
    ["one whose start may have read what was agreed to before", AT_REST.STANDBY(), starting, restart],
    ["one whose start is not wanted any more", AT_REST.STANDBY(), { operation: "STARTING" }, undefined],
    ["one at rest", AT_REST.STANDBY(), {}, undefined],
    ["one that is to be started anyway", AT_REST.RUNNING(), { request: restart }, undefined],
  ])("%s", (_, row, change, request) => {
    const verdict = from(row, change);
    expect([verdict.result, verdict.write?.request]).toEqual([{ accepted: true }, request]);
    expect(verdict).toMatchObject({ events: [{ code: "commands_allowed", details: { repository: SOURCE.key } }] });
  });

  it("by one that is asked for something else, later", () => {
    const busy = { accepted: false, refusal: "REQUEST_PENDING" };
    expect(from(AT_REST.RUNNING(), { request: verify }).result).toEqual(busy);
    expect(from(AT_REST.STANDBY(), { ...starting, request: verify }).result).toEqual(busy);
  });
});
