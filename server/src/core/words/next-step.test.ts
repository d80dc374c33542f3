import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Condition } from "#core/rows/condition.ts";
import { DESIRED_STATES, EMPTY_HOME_CONTEXT, OPERATION_NAMES, PHASES, type Workspace } from "#core/rows/workspace.ts";
import { plan } from "#core/rules/plan.ts";
import { workspace } from "../../../test/fixtures/workspace.ts";
import { because, blockersOf, pathToRequested, whyPhase } from "./explain.ts";
import { isTimeless, nextStep, type Policy } from "./next-step.ts";
import { homeSafety } from "./safety.ts";

const NOW = Date.UTC(2026, 10, 15, 14, 4);
const policy: Policy = { ttl: { standbyTtlSeconds: 600, archiveTtlSeconds: 1800 }, trashRetentionMs: 7 * 86_400_000 };
const is = (status: boolean, extra: Partial<Condition> = {}): Condition => ({
  status,
  reason: "R",
  message: "M.",
  lastTransitionTime: NOW - 120_000,
  ...extra,
});

const row = (change: Partial<Workspace>): Workspace =>
  workspace({
    lastAccessAt: NOW - 120_000,
    conditions: {
      "storage.volume_ready": is(true),
      "storage.archive_ready": is(false),
      "infra.container_ready": is(true),
      "infra.container_present": is(true),
      "policy.healthy": is(true),
    },
    phase: "RUNNING",
    phaseChangedAt: NOW - 600_000,
    homeVolume: "v",
    ...change,
  });

describe("what happens next", () => {
  it("tells when, and since when there was no activity", () => {
    expect(nextStep(row({}), policy, NOW)).toEqual({
      kind: "standby",
      operation: null,
      at: NOW + 480_000,
      code: "idle_since",
      fields: { since: "2026-11-15T14:02:00.000Z" },
    });
    expect(nextStep(row({ keepAwakeUntil: NOW + 3_600_000 }), policy, NOW)).toMatchObject({
      code: "kept_awake_until",
      fields: { since: "2026-11-15T15:04:00.000Z" },
    });
    expect(nextStep(row({ lastAccessAt: NOW - 900_000 }), policy, NOW).code).toBe("running_since");
    expect(nextStep(row({ standbyTtlSeconds: 0 }), policy, NOW)).toMatchObject({
      kind: "nothing",
      code: "demotion_off",
      fields: { phase: "RUNNING" },
    });
  });

  it("names the operation that runs, the one that is next, and the wait for a retry", () => {
    const running = row({ operation: "STARTING", opStartedAt: NOW - 90_000 });
    expect(nextStep(running, policy, NOW)).toMatchObject({
      kind: "operation_running",
      operation: "STARTING",
      fields: { since: "2026-11-15T14:02:30.000Z" },
    });
    expect(nextStep(row({ desiredState: "STANDBY" }), policy, NOW)).toMatchObject({
      kind: "operation_next",
      operation: "STOPPING",
      code: "towards_request",
      fields: { requested: "STANDBY" },
    });
    const failed = row({
      desiredState: "STANDBY",
      nextAttemptAt: NOW + 4_000,
      errorReason: "ActionFailed",
      homeCtx: { ...EMPTY_HOME_CONTEXT, failedRequest: 1 },
    });
    expect(nextStep(failed, policy, NOW)).toMatchObject({
      kind: "retry",
      at: NOW + 4_000,
      fields: { operation: "STOPPING" },
    });
    expect(blockersOf(failed, NOW)[0]).toMatchObject({ kind: "retry", code: "ActionFailed", retryAt: NOW + 4_000 });
  });

  it("says since when something cannot be seen instead of promising a step", () => {
    const blind = row({
      desiredState: "STANDBY",
      conditions: { ...row({}).conditions, "infra.container_present": is(true, { unknownSince: NOW - 60_000 }) },
    });
    expect(nextStep(blind, policy, NOW)).toMatchObject({
      kind: "blocked",
      at: null,
      fields: { conditions: ["infra.container_present"], since: "2026-11-15T14:03:00.000Z" },
    });
    const blocker = { kind: "unknown", condition: "infra.container_present", detail: "M.", since: NOW - 60_000 };
    expect(blockersOf(blind, NOW)[0]).toMatchObject(blocker);
    expect(because(blind).find((line) => line.condition === "infra.container_present")?.holds).toBeNull();
  });

  it("tells a deleted workspace's owner how long it can be restored", () => {
    const gone = row({
      deletedAt: NOW - 86_400_000,
      desiredState: "DELETED",
      phase: "DELETED",
      homeVolume: null,
      archiveKey: "k",
      conditions: { "infra.container_present": is(false) },
    });
    expect(nextStep(gone, policy, NOW)).toMatchObject({ kind: "expiry", at: NOW + 6 * 86_400_000 });
    expect(nextStep({ ...gone, purge: true, archiveKey: null }, policy, NOW).kind).toBe("nothing");
  });

  it("agrees with the planner, for every combination of phase, requested level, operation and deletion", () => {
    const rows = fc.record({
      phase: fc.constantFrom(...PHASES),
      desiredState: fc.constantFrom(...DESIRED_STATES),
      operation: fc.constantFrom("NONE" as const, ...OPERATION_NAMES),
      deletedAt: fc.constantFrom(null, NOW - 1000),
      purge: fc.boolean(),
      homeVolume: fc.constantFrom(null, "v"),
      archiveKey: fc.constantFrom(null, "k"),
    });
    fc.assert(
      fc.property(rows, (change) => {
        const workspace = row(change);
        const next = nextStep(workspace, policy, NOW);
        const planned = plan(workspace, NOW);
        expect(whyPhase(workspace).since).toBe(workspace.phaseChangedAt);
        expect(pathToRequested(workspace).length).toBeLessThanOrEqual(4);
        if (planned.kind === "operate" && (workspace.phase !== "ERROR" || workspace.deletedAt !== null))
          expect(next).toMatchObject({ kind: "operation_next", operation: planned.operation });
      }),
      { numRuns: 2000 },
    );
  });
});

describe("whether the clock has a say in what happens next", () => {
  const seen = fc.record({
    status: fc.boolean(),
    unknownSince: fc.option(fc.constant(NOW - 60_000), { nil: undefined }),
    checkedAt: fc.option(fc.constantFrom(NOW, NOW - 61_000), { nil: undefined }),
  });
  const condition = seen.map(({ status, unknownSince, checkedAt }) =>
    is(status, {
      ...(unknownSince === undefined ? {} : { unknownSince }),
      ...(checkedAt === undefined ? {} : { checkedAt }),
    }),
  );
  const rows = fc
    .record({
      phase: fc.constantFrom(...PHASES),
      desiredState: fc.constantFrom(...DESIRED_STATES),
      operation: fc.constantFrom("NONE" as const, "NONE" as const, ...OPERATION_NAMES),
      opStartedAt: fc.constantFrom(null, NOW - 1000),
      deletedAt: fc.constantFrom(null, NOW - 1000),
      expiredAt: fc.constantFrom(null, NOW - 500),
      purge: fc.boolean(),
      homeVolume: fc.constantFrom(null, "v"),
      archiveKey: fc.constantFrom(null, "k"),
      request: fc.constantFrom(null, { version: 1, action: { kind: "restart" as const } }),
      requestDone: fc.constantFrom(0, 1),
      nextAttemptAt: fc.constantFrom(null, NOW + 4_000),
      keepAwakeUntil: fc.constantFrom(null, NOW + 7_200_000),
      homeCtx: fc
        .tuple(fc.constantFrom(null, 1), fc.array(fc.constantFrom(NOW, NOW - 1000, NOW - 600_000), { maxLength: 6 }))
        .map(([failedRequest, exits]) => ({ ...EMPTY_HOME_CONTEXT, failedRequest, exits })),
      conditions: fc.record({
        "storage.volume_ready": condition,
        "storage.archive_ready": condition,
        "infra.container_ready": condition,
        "infra.container_present": condition,
      }),
    })
    .map((change) => row(change as Partial<Workspace>));

  it("is known: without a say the answer is the same at any time", () => {
    let timeless = 0;
    const times = fc.integer({ min: -1000 * 86_400_000, max: 1000 * 86_400_000 });
    const near = fc.constantFrom(0, 3_999, 4_000, 4_001, 59_999, 60_001, 600_000);
    fc.assert(
      fc.property(rows, fc.oneof(times, near), (workspace, later) => {
        if (!isTimeless(workspace)) return;
        timeless += 1;
        expect(nextStep(workspace, policy, NOW + later)).toEqual(nextStep(workspace, policy, NOW));
      }),
      { numRuns: 5000 },
    );
    expect(timeless).toBeGreaterThan(500);
  });

  it.each([
    ["at rest", row({}), true],
    ["archived", row({ phase: "ARCHIVED", desiredState: "ARCHIVED", homeVolume: null, archiveKey: "k" }), true],
    ["in an operation", row({ operation: "STOPPING", desiredState: "STANDBY" }), true],
    ["in error", row({ phase: "ERROR", errorReason: "ActionFailed", nextAttemptAt: NOW + 4_000 }), true],
    ["about to begin", row({ desiredState: "STANDBY" }), false],
    ["asked to restart", row({ request: { version: 1, action: { kind: "restart" } }, requestDone: 0 }), false],
  ])("%s", (_, workspace, expected) => expect(isTimeless(workspace)).toBe(expected));
});

describe("how safe the home is", () => {
  const archive = {
    key: "k",
    workspaceId: "w",
    opId: "op",
    state: "version",
    facts: {
      sha256: "s",
      sizeBytes: 1,
      contentBytes: 2,
      entryCount: 3,
      manifestDigest: "m",
      skippedSockets: 0,
      formatVersion: 1,
    },
    createdAt: NOW - 3_600_000,
    verifiedAt: NOW - 3_600_000,
    keepUntil: null,
  } as const;

  it("follows the pointers, and says so loudly when the home is not where it should be", () => {
    const level = (change: Partial<Workspace>, last: typeof archive | null) => homeSafety(row(change), last).level;
    expect(level({}, null)).toBe("volume_only");
    expect(level({}, archive)).toBe("volume_and_archive");
    expect(level({ homeVolume: null, archiveKey: "k" }, archive)).toBe("archived");
    expect(level({ homeVolume: null }, null)).toBe("empty");
    const missing = { ...row({}).conditions, "storage.volume_ready": is(false, { reason: "VolumeMissing" }) };
    expect(level({ conditions: missing }, archive)).toBe("at_risk");
    expect(level({ homeVolume: null, archiveKey: "k", phase: "ERROR" }, archive)).toBe("at_risk");
  });
});
