import { describe, expect, test } from "vitest";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import { type Observation, seen, unseen } from "#core/rows/observation.ts";
import { OPERATION_NAMES, type OperationName, type Workspace } from "#core/rows/workspace.ts";
import {
  ARCHIVE_FACTS,
  AT_REST,
  ATTEMPT,
  archiveRecord,
  facts,
  KEY,
  NOW,
  OLDER_ATTEMPT,
  VOLUME,
  volumeRecord,
} from "../../../test/fixtures/workspace.ts";
import { commit, type Made } from "./completion.ts";
import { pass, planAtRest } from "./pass.ts";
import { plan } from "./plan.ts";
import { claim, expire, fail, giveUpOnContainer, isOnlyAge, observe, takeOver } from "./transitions.ts";

const EPOCH = 5;
const operating = (row: Workspace, operation: OperationName): Workspace => ({
  ...row,
  operation,
  opId: ATTEMPT,
  opEpoch: EPOCH,
  opStartedAt: NOW,
});
const commitInput = (operation: OperationName, made: Made) => ({
  operation,
  opId: ATTEMPT,
  epoch: EPOCH,
  made,
  keepVersions: 1,
  trashRetentionMs: 1_000,
});
const failInput = (operation: OperationName, reason: Parameters<typeof fail>[1]["failure"]["reason"]) => ({
  operation,
  opId: ATTEMPT,
  epoch: EPOCH,
  failure: { reason, message: "because" },
  maxAttempts: 3,
  minimumBackoffMs: 0,
  random: 0,
});

describe("claim", () => {
  test("is refused when an operation runs or the row moved since it was planned from", () => {
    const row = AT_REST.STANDBY();
    const input = {
      rowVersion: row.rowVersion,
      operation: "STARTING",
      opId: ATTEMPT,
      epoch: EPOCH,
      why: { code: "towards_request" },
    } as const;
    expect(claim(facts(row), input)?.patch).toMatchObject({ operation: "STARTING", opId: ATTEMPT, opEpoch: EPOCH });
    expect(claim(facts(row), { ...input, rowVersion: row.rowVersion - 1 })).toBeNull();
    expect(claim(facts(operating(row, "STOPPING")), input)).toBeNull();
  });

  test("puts the volume on record before it exists, and never a name that was used before", () => {
    const row = AT_REST.ARCHIVED();
    const input = {
      rowVersion: row.rowVersion,
      operation: "RESTORING",
      opId: ATTEMPT,
      epoch: EPOCH,
      why: { code: "towards_request" },
    } as const;
    const name = volumeName(row.id, ATTEMPT);
    expect(claim(facts(row), input)?.volumes).toEqual([expect.objectContaining({ name, state: "building" })]);
    expect(claim(facts(row, { volumes: [volumeRecord({ name, state: "gone" })] }), input)).toBeNull();
  });

  test.each(["STARTING", "STOPPING", "DELETING"] as const)(
    "%s makes the old container unreachable at once",
    (operation) => {
      const row = AT_REST.RUNNING();
      expect(
        claim(facts(row), {
          rowVersion: row.rowVersion,
          operation,
          opId: ATTEMPT,
          epoch: EPOCH,
          why: { code: "towards_request" },
        })?.patch.endpoint,
      ).toBeNull();
    },
  );
});

describe("takeOver", () => {
  test.each(OPERATION_NAMES)("%s: a shared half-done work gets a new attempt, the rest keeps its own", (operation) => {
    const row = { ...operating(AT_REST.STANDBY(), operation), opId: OLDER_ATTEMPT };
    const taken = takeOver(facts(row, { volumes: [volumeRecord({ name: "old", state: "building" })] }), {
      opId: OLDER_ATTEMPT,
      freshOpId: ATTEMPT,
      epoch: 9,
    });
    const fresh = ["PROVISIONING", "RESTORING", "PREPARING", "ARCHIVING", "CREATE_EMPTY_ARCHIVE"].includes(operation);
    expect(taken?.patch).toMatchObject({ opId: fresh ? ATTEMPT : OLDER_ATTEMPT, opEpoch: 9 });
    expect(taken?.volumes?.find((volume) => volume.name === "old")?.state).toBe(fresh ? "retired" : undefined);
  });

  test("is refused when the attempt is not the one that was seen", () => {
    expect(
      takeOver(facts(operating(AT_REST.STANDBY(), "ARCHIVING")), { opId: OLDER_ATTEMPT, freshOpId: ATTEMPT, epoch: 9 }),
    ).toBeNull();
  });
});

describe("commit", () => {
  const archived = { kind: "archive", volume: VOLUME, archive: ARCHIVE_FACTS } as const;

  test.each([{ opId: OLDER_ATTEMPT }, { epoch: EPOCH + 1 }, { epoch: EPOCH - 1 }])(
    "is refused for another attempt or epoch: %j",
    (other) => {
      const row = operating(AT_REST.STANDBY(), "ARCHIVING");
      expect(commit(facts(row), { ...commitInput("ARCHIVING", archived), ...other })).toBeNull();
      expect(commit(facts({ ...row, operation: "NONE" }), commitInput("ARCHIVING", archived))).toBeNull();
    },
  );

  test("ARCHIVING swings the pointer in one update and retires the volume", () => {
    const row = operating(AT_REST.STANDBY(), "ARCHIVING");
    const done = commit(facts(row, { volumes: [volumeRecord()] }), commitInput("ARCHIVING", archived));
    expect(done?.patch).toMatchObject({
      archiveKey: archiveKey(row.id, ATTEMPT),
      homeVolume: null,
      operation: "NONE",
      phase: "ARCHIVED",
    });
    expect(done?.volumes).toEqual([expect.objectContaining({ name: VOLUME, state: "retired", retiredAt: NOW })]);
  });

  test("keeps one older verified archive and lets the rest go", () => {
    const older = archiveRecord();
    const oldest = archiveRecord({ key: "k0", opId: "o0", createdAt: NOW - 9e6, state: "version" });
    const row = operating(AT_REST.STANDBY(), "ARCHIVING");
    const states = commit(facts(row, { archives: [oldest, older] }), commitInput("ARCHIVING", archived))?.archives?.map(
      ({ key, state }) => [key, state],
    );
    expect(states).toEqual([
      [KEY, "version"],
      ["k0", "orphan"],
      [archiveKey(row.id, ATTEMPT), "current"],
    ]);
  });

  test("RESTORING names the new volume and keeps the archive as it is", () => {
    const name = volumeName(AT_REST.ARCHIVED().id, ATTEMPT);
    const row = operating(AT_REST.ARCHIVED(), "RESTORING");
    const done = commit(
      facts(row, { volumes: [volumeRecord({ name, state: "building" })] }),
      commitInput("RESTORING", { kind: "home", volume: name, from: KEY }),
    );
    expect(done?.patch).toMatchObject({ homeVolume: name, phase: "STANDBY" });
    expect(done?.patch.archiveKey).toBeUndefined();
    expect(done?.volumes).toEqual([expect.objectContaining({ name, state: "current" })]);
  });

  test("DISCARDING changes nothing once the reset was taken back or the workspace deleted", () => {
    const row = operating(AT_REST.ARCHIVED(), "DISCARDING");
    const input = commitInput("DISCARDING", { kind: "trash" });
    const archives = [archiveRecord()];
    for (const taken of [{ desiredState: "RUNNING" }, { desiredState: "PENDING", deletedAt: NOW }] as const) {
      const done = commit(facts({ ...row, ...taken }, { archives }), input);
      expect(done?.patch.archiveKey).toBeUndefined();
      expect(done?.patch.operation).toBe("NONE");
    }
    const confirmed = commit(facts({ ...row, desiredState: "PENDING" }, { archives }), input);
    expect(confirmed?.patch.archiveKey).toBeNull();
    expect(confirmed?.archives).toEqual([expect.objectContaining({ state: "trash", keepUntil: NOW + 1_000 })]);
  });

  test("DELETING lets go of a home only when it is purged or expired", () => {
    const row = operating({ ...AT_REST.STANDBY(), desiredState: "DELETED", deletedAt: NOW - 1 }, "DELETING");
    const input = commitInput("DELETING", { kind: "end" });
    expect(commit(facts(row), input)?.patch.homeVolume).toBeUndefined();
    expect(commit(facts({ ...row, deletedAt: null, purge: true }), input)?.patch.homeVolume).toBeUndefined();
    for (const over of [{ purge: true }, { expiredAt: NOW }]) {
      expect(commit(facts({ ...row, ...over }, { archives: [archiveRecord()] }), input)).toMatchObject({
        patch: { homeVolume: null, archiveKey: null, phase: "DELETED" },
        archives: [{ state: "orphan" }],
      });
    }
  });

  test("a commit clears what the attempts before it left", () => {
    const before = {
      errorReason: "ActionFailed",
      errorCount: 2,
      reconcileFailureCount: 2,
      nextAttemptAt: NOW,
    } as const;
    const row = { ...operating(AT_REST.RUNNING(), "STOPPING"), ...before };
    expect(commit(facts(row), commitInput("STOPPING", { kind: "no_container" }))?.patch).toMatchObject({
      errorReason: null,
      errorCount: 0,
      errorInfo: null,
      reconcileFailureCount: 0,
      nextAttemptAt: null,
    });
  });
});

describe("fail", () => {
  const failTimes = (reason: Parameters<typeof failInput>[1], times: number): Workspace => {
    let row = AT_REST.STANDBY();
    for (let at = 0; at < times; at++) {
      row = operating(row, "STARTING");
      row = { ...row, ...fail(facts(row), failInput("STARTING", reason))?.patch };
    }
    return row;
  };

  test("retries with a growing backoff, and the third ordinary failure is an error", () => {
    expect(failTimes("ActionFailed", 1)).toMatchObject({
      phase: "STANDBY",
      operation: "NONE",
      nextAttemptAt: NOW + 500,
    });
    expect(failTimes("ActionFailed", 2)).toMatchObject({ phase: "STANDBY", nextAttemptAt: NOW + 1_000 });
    expect(failTimes("ActionFailed", 3)).toMatchObject({
      phase: "ERROR",
      operation: "NONE",
      errorReason: "RetryExceeded",
      opId: null,
    });
  });

  test("keeps what happened: how long it took, how often it was tried, and the words of the last try", () => {
    const started = { ...operating(AT_REST.STANDBY(), "STARTING"), opStartedAt: NOW - 300_000 };
    const failed = (reason: Parameters<typeof failInput>[1]) =>
      fail(facts(started), failInput("STARTING", reason))?.patch;
    expect(failed("Timeout")?.errorInfo).toEqual({
      reason: "Timeout",
      message: "because",
      operation: "STARTING",
      isTerminal: true,
      attempts: 1,
      elapsedMs: 300_000,
      previousPhase: "STANDBY",
      occurredAt: NOW,
    });
    expect(failed("ActionFailed")?.errorInfo).toMatchObject({ isTerminal: false, attempts: 1, elapsedMs: 300_000 });
    expect(failTimes("ActionFailed", 3).errorInfo).toMatchObject({
      reason: "RetryExceeded",
      message: "because",
      operation: "STARTING",
      isTerminal: true,
      attempts: 3,
      elapsedMs: 0,
    });
  });

  test("an outage never becomes an error, and never counts towards one", () => {
    expect(failTimes("Unreachable", 50)).toMatchObject({ phase: "STANDBY", errorReason: "Unreachable" });
    const row = operating({ ...failTimes("ActionFailed", 2) }, "STARTING");
    expect({ ...row, ...fail(facts(row), failInput("STARTING", "Unreachable"))?.patch }).toMatchObject({
      phase: "STANDBY",
    });
  });

  test.each(["Timeout", "DataLost", "ImagePullFailed", "ContainerWithoutVolume", "ArchiveCorrupted"] as const)(
    "%s is terminal at once",
    (reason) => {
      expect(failTimes(reason, 1)).toMatchObject({
        phase: "ERROR",
        operation: "NONE",
        errorReason: reason,
        errorCount: 1,
      });
    },
  );

  test("a deletion is never stopped, and the archive's attempt stays protected", () => {
    const row = {
      ...operating({ ...AT_REST.STANDBY(), deletedAt: NOW, desiredState: "DELETED" }, "ARCHIVING"),
      archiveOpId: ATTEMPT,
    };
    const after = { ...row, ...fail(facts(row), failInput("ARCHIVING", "Timeout"))?.patch };
    expect(after).toMatchObject({ phase: "DELETING", operation: "NONE", archiveOpId: ATTEMPT, homeVolume: VOLUME });
    expect(after.errorInfo?.isTerminal).toBe(false);
  });

  test("is refused for an attempt that is not the row's any more", () => {
    const row = operating(AT_REST.STANDBY(), "STARTING");
    expect(fail(facts({ ...row, opId: OLDER_ATTEMPT }), failInput("STARTING", "Timeout"))).toBeNull();
  });
});

describe("observe and pass", () => {
  const observation = { at: NOW, volume: seen(true), containers: seen([]), archive: null };

  test("say nothing when nothing is new, and touch the row now and then", () => {
    const row = AT_REST.STANDBY();
    const settled = { ...row, ...observe(facts(row), observation, row.rowVersion)?.patch };
    expect(observe(facts(settled), observation, settled.rowVersion)).toBeNull();
    expect(observe(facts(settled, { now: NOW + 300_000 }), observation, settled.rowVersion)?.patch.observedAt).toBe(
      NOW + 300_000,
    );
    expect(observe(facts(row), observation, row.rowVersion + 1)).toBeNull();
  });

  test("a touch says nothing but that somebody looked, and nothing else is one", () => {
    const row = AT_REST.RUNNING();
    const running = { id: "c1", workspaceId: row.id, volume: VOLUME, attempt: ATTEMPT, address: null, exitCode: null };
    const up = { ...observation, containers: seen([{ ...running, state: "running" as const }]) };
    const settled = { ...row, ...observe(facts(row), up, row.rowVersion)?.patch };
    const onlyAge = (seenNow: Observation): boolean | null => {
      const mutation = observe(facts(settled, { now: NOW + 300_000 }), seenNow, settled.rowVersion);
      return mutation === null ? null : isOnlyAge(settled, mutation);
    };
    expect(onlyAge(up)).toBe(true);
    expect(onlyAge({ ...up, volume: seen(false) })).toBe(false);
    expect(onlyAge({ ...up, volume: unseen("away") })).toBe(false);
    expect(onlyAge({ ...up, containers: seen([]) })).toBe(false);
  });

  test("count a container that ended by itself, and give up after three", () => {
    let row = AT_REST.RUNNING();
    for (let at = 0; at < 3; at++) {
      row = { ...row, ...observe(facts(row), observation, row.rowVersion)?.patch };
      expect(row.homeCtx.exits).toHaveLength(at + 1);
      if (at < 2) row = { ...AT_REST.RUNNING(), homeCtx: row.homeCtx };
    }
    expect(plan(row, NOW).kind).toBe("rest");
    const given = giveUpOnContainer(facts(row), "segmentation fault");
    expect({ ...row, ...given?.patch }).toMatchObject({ phase: "ERROR", errorReason: "ActionFailed" });
    expect(given?.patch.errorInfo?.message).toContain("segmentation fault");
  });

  test("record and claim in one mutation, by the database's clock", () => {
    const row = { ...AT_REST.STANDBY(), desiredState: "RUNNING" } as const;
    const input = { observation, rowVersion: row.rowVersion, attempt: ATTEMPT, epoch: EPOCH, hasRoom: () => true };
    const rules = { observe, plan, claim };
    expect(pass(facts(row), input, rules)?.mutation?.patch).toMatchObject({ operation: "STARTING", opId: ATTEMPT });
    expect(pass(facts(row), { ...input, hasRoom: () => false }, rules)?.mutation?.patch.operation).toBeUndefined();
    expect(pass(facts({ ...row, rowVersion: 8 }), input, rules)).toBeNull();
  });

  test("are worth a transaction when something new was seen or something can be begun", () => {
    const standby = AT_REST.STANDBY();
    const input = { observation, rowVersion: standby.rowVersion, attempt: ATTEMPT, epoch: EPOCH, hasRoom: () => true };
    const rules = { observe, plan, claim };
    const row = { ...standby, ...pass(facts(standby), input, rules)?.mutation?.patch };
    expect(planAtRest(standby, NOW, input, rules)).toBeNull();
    expect(planAtRest(row, NOW, input, rules)).toMatchObject({ kind: "rest" });
    const requested = { ...row, desiredState: "RUNNING" } as const;
    expect(planAtRest(requested, NOW, input, rules)).toBeNull();
    expect(planAtRest(requested, NOW, { ...input, hasRoom: () => false }, rules)).toMatchObject({
      operation: "STARTING",
    });
  });
});

describe("expire", () => {
  test("is a one-way fact after the retention", () => {
    const row = { ...AT_REST.ARCHIVED(), deletedAt: NOW - 1_000 };
    expect(expire(facts(row), 1_000)).toBeNull();
    expect(expire(facts(row), 999)?.patch.expiredAt).toBe(NOW);
    expect(expire(facts({ ...row, expiredAt: NOW - 1 }), 0)).toBeNull();
    expect(expire(facts({ ...row, deletedAt: null }), 0)).toBeNull();
  });
});
