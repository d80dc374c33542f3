import { describe, expect, test } from "vitest";
import type { Workspace } from "#core/rows/workspace.ts";
import { FIRST_TICK_MS, KeptTally, LISTING_EVERY_MS, mayReap, nextListingAt, protection } from "#core/rules/gc.ts";
import { backoffMs } from "#core/rules/retry.ts";
import {
  AT_REST,
  archiveRecord,
  condition,
  facts,
  KEY,
  NOW,
  OLDER_ATTEMPT,
  volumeRecord,
} from "../../../test/fixtures/workspace.ts";
import { answerRequest } from "./answer-request.ts";
import { nextDemotion, proxyGap } from "./idle.ts";
import { holdsSlot, slotFor } from "./limits.ts";
import * as requests from "./requests.ts";

const FREE = { ofOwner: 0, global: 0 };
const FULL = { ofOwner: 2, global: 2 };
const LIMITS = { maxRunningPerUser: 2, maxRunningGlobal: 100 };
const TTL = { standbyTtlSeconds: 600, archiveTtlSeconds: 1_800 };
const input = (row: Workspace | null, slots = FREE) => ({ row, now: NOW, slots });
const refusal = (verdict: requests.Verdict): string => (verdict.result.accepted ? "accepted" : verdict.result.refusal);
const deleted = (row: Workspace): Workspace => ({ ...row, deletedAt: NOW - 5, desiredState: "DELETED" });

describe("requests", () => {
  test("every accepted request counts, also a repeated one", () => {
    const row = AT_REST.RUNNING();
    expect(requests.requestLevel(input(row, FULL), "RUNNING", LIMITS, "u").write).toMatchObject({
      desiredVersion: row.desiredVersion + 1,
      lastAccessAt: NOW,
    });
  });

  test("RUNNING needs a slot unless one is held already", () => {
    expect(refusal(requests.requestLevel(input(AT_REST.STANDBY(), FULL), "RUNNING", LIMITS, "u"))).toBe(
      "RUNNING_LIMIT_EXCEEDED",
    );
    expect(refusal(requests.requestWake(input(AT_REST.STANDBY(), FULL), LIMITS, "u"))).toBe("RUNNING_LIMIT_EXCEEDED");
    expect(refusal(requests.requestLevel(input(AT_REST.STANDBY(), FULL), "ARCHIVED", LIMITS, "u"))).toBe("accepted");
    const inError = { ...AT_REST.STANDBY(), desiredState: "RUNNING", phase: "ERROR" } as const;
    expect(holdsSlot(inError)).toBe(true);
    expect(holdsSlot({ ...AT_REST.STANDBY(), conditions: { "infra.container_present": condition("true") } })).toBe(
      true,
    );
    // Its STARTING is not cut short by a lower request, so until then nobody else may have the slot.
    expect(holdsSlot({ ...AT_REST.STANDBY(), operation: "STARTING" })).toBe(true);
    // A container that somebody started by hand takes a slot, but gives no right to one.
    const handMade = { ...AT_REST.STANDBY(), conditions: { "infra.container_present": condition("true") } };
    expect(refusal(requests.requestWake(input(handMade, FULL), LIMITS, "u"))).toBe("RUNNING_LIMIT_EXCEEDED");
    expect(slotFor(null, { ofOwner: 0, global: 100 }, LIMITS)).toEqual({ free: false, scope: "global" });
  });

  test("a new workspace that is to run needs a slot; one that is not needs none", () => {
    expect(requests.requestCreate(FULL, "RUNNING", LIMITS, "u")).toEqual({ refuse: "RUNNING_LIMIT_EXCEEDED" });
    const created = { actor: "u", kind: "created", from: null, code: "created" };
    expect(requests.requestCreate(FREE, "RUNNING", LIMITS, "u")).toEqual({
      refuse: null,
      events: [{ ...created, to: "RUNNING" }],
    });
    expect(requests.requestCreate(FULL, "STANDBY", LIMITS, "u")).toEqual({
      refuse: null,
      events: [{ ...created, to: "STANDBY" }],
    });
  });

  test("fields and a level are changed together or not at all, and the history has a line for each", () => {
    const row = AT_REST.STANDBY();
    const edit = { columns: { memo: "m", name: "n" }, fields: ["memo", "name"] };
    const kinds = (verdict: requests.Verdict) =>
      verdict.write === null ? null : verdict.events.map(({ kind, code, details }) => [kind, code, details]);
    const both = requests.requestEdit(input(row), { ...edit, level: "RUNNING" }, LIMITS, "u");
    expect(both.write).toEqual({
      ...edit.columns,
      desiredState: "RUNNING",
      desiredVersion: row.desiredVersion + 1,
      lastAccessAt: NOW,
    });
    expect(kinds(both)).toEqual([
      ["wish", "requested", {}],
      ["edited", "fields_changed", { fields: edit.fields }],
    ]);
    const fieldsOnly = requests.requestEdit(input(row, FULL), { ...edit, level: null }, LIMITS, "u");
    expect(fieldsOnly.write).toEqual(edit.columns);
    expect(kinds(fieldsOnly)).toEqual([["edited", "fields_changed", { fields: edit.fields }]]);
    const refused = requests.requestEdit(input(row, FULL), { ...edit, level: "RUNNING" }, LIMITS, "u");
    expect([refused.write, refusal(refused)]).toEqual([null, "RUNNING_LIMIT_EXCEEDED"]);
    expect(refusal(requests.requestEdit(input(null), { ...edit, level: null }, LIMITS, "u"))).toBe("NOT_FOUND");
    expect(refusal(requests.requestEdit(input(deleted(row)), { ...edit, level: null }, LIMITS, "u"))).toBe("DELETED");
  });

  test("nothing but undelete speaks to a deleted row", () => {
    const row = deleted(AT_REST.ARCHIVED());
    expect(refusal(requests.requestLevel(input(row), "RUNNING", LIMITS, "u"))).toBe("DELETED");
    expect(refusal(requests.requestWake(input(row), LIMITS, "u"))).toBe("DELETED");
    expect(refusal(requests.requestReset(input(row), row.name, "u"))).toBe("DELETED");
    expect(requests.requestUndelete(input(row), "u").write).toMatchObject({
      deletedAt: null,
      desiredState: "ARCHIVED",
    });
    expect(refusal(requests.requestUndelete(input({ ...row, purge: true }), "u"))).toBe("UNDELETE_PURGED");
    expect(refusal(requests.requestUndelete(input({ ...row, expiredAt: NOW }), "u"))).toBe("UNDELETE_EXPIRED");
    expect(refusal(requests.requestUndelete(input(AT_REST.ARCHIVED()), "u"))).toBe("NOT_DELETED");
  });

  test("a second DELETE never moves the first one's time, and may add the purge", () => {
    const row = deleted(AT_REST.ARCHIVED());
    expect(requests.requestDelete(input(row), null, "u").write).toEqual({});
    expect(requests.requestDelete(input(row), { confirmation: row.name }, "u").write).toMatchObject({
      deletedAt: NOW - 5,
      purge: true,
    });
    expect(refusal(requests.requestDelete(input(row), { confirmation: "other" }, "u"))).toBe("CONFIRMATION_MISMATCH");
  });

  test("a visit wakes what sleeps, and never cancels a confirmed reset", () => {
    expect(refusal(requests.requestWake(input({ ...AT_REST.ARCHIVED(), desiredState: "PENDING" }), LIMITS, "u"))).toBe(
      "RESET_PENDING",
    );
    const discarding = { ...AT_REST.PENDING(), operation: "DISCARDING" } as const;
    expect(refusal(requests.requestWake(input(discarding), LIMITS, "u"))).toBe("RESET_PENDING");
    expect(refusal(requests.requestWake(input({ ...AT_REST.PENDING(), homeVolume: "v" }), LIMITS, "u"))).toBe(
      "RESET_PENDING",
    );
    expect(requests.requestWake(input(AT_REST.PENDING()), LIMITS, "u").write).toMatchObject({
      desiredState: "RUNNING",
    });
    expect(refusal(requests.requestWake(input(AT_REST.RUNNING()), LIMITS, "u"))).toBe("NOTHING_TO_WAKE");
    expect(requests.requestWake(input(AT_REST.ARCHIVED()), LIMITS, "u").write).toMatchObject({
      desiredState: "RUNNING",
      lastAccessAt: NOW,
    });
  });

  test("a lost home needs a choice, and an empty one needs the name", () => {
    const lost = { ...AT_REST.STANDBY(), phase: "ERROR", errorReason: "DataLost" } as const;
    expect(refusal(requests.requestRecover(input(lost), { kind: "recover" }, null, "u"))).toBe("CHOICE_REQUIRED");
    expect(refusal(requests.requestRecover(input(lost), { kind: "start_empty" }, "wrong", "u"))).toBe(
      "CONFIRMATION_MISMATCH",
    );
    expect(refusal(requests.requestRecover(input(lost), { kind: "start_empty" }, lost.name, "u"))).toBe("accepted");
    expect(refusal(requests.requestRecover(input(AT_REST.STANDBY()), { kind: "recover" }, null, "u"))).toBe(
      "NOT_IN_ERROR",
    );
  });

  test("one request at a time", () => {
    const row = { ...AT_REST.RUNNING(), request: { version: 2, action: { kind: "restart" } }, requestDone: 1 } as const;
    expect(refusal(requests.requestRestart(input(row), "u"))).toBe("REQUEST_PENDING");
    expect(requests.requestRestart(input({ ...row, requestDone: 2 }), "u").write).toMatchObject({
      request: { version: 3 },
    });
  });
});

describe("what the engine took away", () => {
  const why = { code: "drained", fields: { message: "words" } };
  const rest = (row: Workspace, desiredVersion = row.desiredVersion): requests.Verdict =>
    requests.requestRest({ ...input(row), desiredVersion, why });

  test("rests, with the reason in the history, and only lowers", () => {
    const verdict = rest(AT_REST.RUNNING());
    expect(verdict.write).toMatchObject({ desiredState: "STANDBY" });
    expect(verdict).toMatchObject({
      events: [{ actor: "coordinator", kind: "taken_away", code: "drained", details: { message: "words" } }],
    });
    for (const row of [AT_REST.STANDBY(), AT_REST.ARCHIVED(), { ...AT_REST.RUNNING(), deletedAt: 1 }])
      expect(rest(row).write).toBeNull();
  });

  test("is looked at anew under a newer request", () => {
    const row = AT_REST.RUNNING();
    expect(rest(row, row.desiredVersion - 1).write).toBeNull();
  });
});

describe("falling back", () => {
  const idle = (row: Workspace, extra: Partial<requests.IdleInput> = {}): requests.Verdict =>
    requests.requestDemotion({
      ...input(row),
      defaults: TTL,
      desiredVersion: row.desiredVersion,
      gap: null,
      ...extra,
    });
  const long = NOW - 601_000;
  const running = (): Workspace => ({ ...AT_REST.RUNNING(), lastAccessAt: long, phaseChangedAt: long });

  test("happens after the TTL, not at it, and counts from the last of access, start and keep-awake", () => {
    expect(idle(running()).write).toMatchObject({ desiredState: "STANDBY" });
    for (const later of [{ lastAccessAt: NOW - 600_000 }, { phaseChangedAt: NOW - 600_000 }, { keepAwakeUntil: NOW }]) {
      expect(idle({ ...running(), ...later }).write).toBeNull();
    }
    const standby = { ...AT_REST.STANDBY(), phaseChangedAt: NOW - 1_800_001 };
    expect(idle(standby).write).toMatchObject({ desiredState: "ARCHIVED" });
    expect(idle({ ...standby, archiveTtlSeconds: 0 }).write).toBeNull();
    expect(nextDemotion({ ...running(), standbyTtlSeconds: 60 }, TTL)?.at).toBe(long + 60_000);
  });

  test("never overrides a newer request, an operation, a deletion or an unmet request", () => {
    const row = running();
    expect(idle(row, { desiredVersion: row.desiredVersion - 1 }).write).toBeNull();
    expect(idle({ ...row, operation: "STOPPING" }).write).toBeNull();
    expect(idle(deleted(row)).write).toBeNull();
    expect(idle({ ...AT_REST.STANDBY(), phaseChangedAt: 0, desiredState: "RUNNING" }).write).toBeNull();
  });

  test("waits while a proxy or the whole buffer is silent, for at most one TTL more", () => {
    const ancient = { ...running(), lastAccessAt: NOW - 1_201_000, phaseChangedAt: NOW - 1_201_000 };
    for (const of of ["proxy", "buffer"] as const) {
      expect(idle(running(), { gap: { since: NOW - 1, of } }).write).toBeNull();
      // What was used just before the silence began may be what the proxy holds back.
      expect(idle(ancient, { gap: { since: NOW - 1, of } }).write).toBeNull();
      expect(idle(ancient, { gap: { since: NOW - 601_000, of } }).write).toMatchObject({ desiredState: "STANDBY" });
    }
  });

  test("waits for a silent proxy once: what was used two TTLs after its last word is not delayed any more", () => {
    expect(idle(running(), { gap: { since: NOW - 1_200_000, of: "proxy" } }).write).toBeNull();
    expect(idle(running(), { gap: { since: NOW - 1_200_001, of: "proxy" } }).write).toMatchObject({
      desiredState: "STANDBY",
    });
    // A buffer that cannot be read is no dead proxy: nothing is known of anybody.
    expect(idle(running(), { gap: { since: NOW - 1_200_001, of: "buffer" } }).write).toBeNull();
  });

  test.each([
    ["nobody was ever there", [], null],
    ["everybody handed over in time", [NOW - 90_000, NOW], null],
    ["one is silent", [NOW - 90_001, NOW], NOW - 90_001],
    ["of several silent ones the newest counts", [NOW - 900_000, NOW - 100_000, NOW], NOW - 100_000],
  ])("the gap when %s", (_when, flushedAt, since) => {
    expect(proxyGap(flushedAt, 90_000, NOW)).toEqual(since === null ? null : { since, of: "proxy" });
  });
});

describe("what a listing tells", () => {
  test("kept objects are counted by reason, the trash with the time its next one is let go of", () => {
    const tally = new KeptTally();
    tally.add("trash", archiveRecord({ keepUntil: NOW + 2 }));
    tally.add("trash", archiveRecord({ keepUntil: NOW + 1 }));
    tally.add("trash", null);
    tally.add("in_use", archiveRecord());
    expect(tally.counts()).toEqual([
      { reason: "in_use", count: 1, until: null },
      { reason: "trash", count: 3, until: NOW + 1 },
    ]);
  });

  test.each([
    ["nobody leads", NOW, null, null],
    ["this leader has listed", NOW, NOW - 1, NOW + LISTING_EVERY_MS],
    ["another leader has listed", NOW - 5_000, NOW, NOW + FIRST_TICK_MS],
    ["nobody has ever listed", null, NOW, NOW + FIRST_TICK_MS],
  ])("the next listing when %s", (_when, lastRunAt, leaderSince, expected) => {
    expect(nextListingAt(lastRunAt, leaderSince)).toBe(expected);
  });

  test.each([
    ["in_use", KEY, AT_REST.ARCHIVED(), archiveRecord()],
    ["trash", KEY, deleted(AT_REST.ARCHIVED()), archiveRecord()],
    ["version", "w/o/home.tar.zst", AT_REST.ARCHIVED(), archiveRecord({ state: "version" })],
  ] as const)("the reason %s", (reason, key, owner, record) => {
    expect(protection(key, owner, record, NOW)).toBe(reason);
  });
});

describe("garbage collection", () => {
  const row = AT_REST.ARCHIVED();
  test.each([
    ["the current archive", KEY, row, archiveRecord(), true],
    ["an older version", "w/o/home.tar.zst", row, archiveRecord({ state: "version" }), true],
    ["an orphan", "w/o/home.tar.zst", row, archiveRecord({ state: "orphan" }), false],
    ["an upload nobody recorded", "w/o/home.tar.zst", row, null, false],
    [
      "an upload under way",
      KEY,
      { ...row, archiveKey: null, operation: "ARCHIVING", archiveOpId: OLDER_ATTEMPT } as const,
      null,
      true,
    ],
    ["trash within its time", "k", row, archiveRecord({ state: "trash", keepUntil: NOW + 1 }), true],
    ["trash after its time", "k", row, archiveRecord({ state: "trash", keepUntil: NOW }), false],
    ["the archive of a deleted workspace", KEY, deleted(row), archiveRecord(), true],
    ["the archive of an expired workspace", KEY, { ...deleted(row), expiredAt: NOW }, archiveRecord(), false],
    ["the archive of a purged workspace", KEY, { ...deleted(row), purge: true }, archiveRecord(), false],
    [
      "trash of a purged workspace",
      "k",
      { ...deleted(row), purge: true },
      archiveRecord({ state: "trash", keepUntil: NOW + 1 }),
      false,
    ],
    [
      "a version of a purged workspace",
      "k",
      { ...deleted(row), purge: true },
      archiveRecord({ state: "version" }),
      false,
    ],
  ] as const)("%s", (_, key, owner, record, stays) => {
    expect(protection(key, owner, record, NOW) !== null).toBe(stays);
  });

  const info = {
    reason: "Timeout",
    message: "",
    operation: "ARCHIVING",
    isTerminal: true,
    attempts: 1,
    elapsedMs: null,
    previousPhase: "STANDBY",
    occurredAt: NOW,
  } as const;

  test("in ERROR nothing that could take the home's place is removed until somebody has looked", () => {
    const failed = { ...AT_REST.STANDBY(), archiveOpId: OLDER_ATTEMPT, errorInfo: info };
    expect(protection(KEY, failed, null, NOW)).not.toBeNull();
    expect(protection(KEY, { ...failed, errorInfo: null }, null, NOW)).toBeNull();
    expect(protection(KEY, { ...deleted(failed), purge: true }, null, NOW)).toBeNull();
    const orphan = archiveRecord({ state: "orphan" });
    expect(protection("another upload", failed, orphan, NOW)).not.toBeNull();
    expect(
      protection("another upload", { ...failed, errorInfo: { ...info, isTerminal: false } }, orphan, NOW),
    ).toBeNull();
    expect(mayReap("old", failed, NOW - 10, 5, NOW)).toBe(false);
    expect(mayReap("old", { ...deleted(failed), purge: true }, NOW - 10, 5, NOW)).toBe(true);
  });

  test("a deletion does not end what ERROR keeps, nor does a last copy that fails, until it cannot be undone", () => {
    // A deleted row shows no ERROR, and its errors are never terminal: only the copy that could be needed counts.
    for (const errorInfo of [info, { ...info, isTerminal: false }]) {
      const failed = { ...deleted(AT_REST.STANDBY()), errorInfo };
      expect(protection("another upload", failed, archiveRecord({ state: "orphan" }), NOW)).toBe("error");
      expect(mayReap("old", failed, NOW - 10, 5, NOW)).toBe(false);
      for (const over of [{ purge: true }, { expiredAt: NOW - 1 }]) {
        expect(
          protection("another upload", { ...failed, ...over }, archiveRecord({ state: "orphan" }), NOW),
        ).toBeNull();
        expect(mayReap("old", { ...failed, ...over }, NOW - 10, 5, NOW)).toBe(true);
      }
    }
    const copied = { ...deleted(AT_REST.ARCHIVED()), errorInfo: null };
    expect(protection("another upload", copied, archiveRecord({ state: "orphan" }), NOW)).toBeNull();
  });

  test("the reaper spares what the row names and what was retired only just now", () => {
    const standby = AT_REST.STANDBY();
    expect(mayReap(standby.homeVolume ?? "", standby, NOW - 10, 5, NOW)).toBe(false);
    expect(mayReap("old", standby, NOW - 10, 5, NOW)).toBe(true);
    expect(mayReap("old", standby, NOW - 4, 5, NOW)).toBe(false);
    expect(mayReap("old", standby, null, 5, NOW)).toBe(false);
  });
});

describe("answering requests", () => {
  const ask = (row: Workspace, action: NonNullable<Workspace["request"]>["action"]): Workspace => ({
    ...row,
    request: { version: 1, action },
    requestDone: 0,
  });
  const lost = (): Workspace => ({
    ...AT_REST.STANDBY(),
    phase: "ERROR",
    errorReason: "DataLost",
    conditions: { ...AT_REST.STANDBY().conditions, "policy.healthy": condition("false") },
  });

  test("an older archive replaces a lost home only by consent, and the lost volume is never reaped", () => {
    const record = archiveRecord({ state: "version" });
    const row = ask(lost(), { kind: "restore_archive", opId: OLDER_ATTEMPT });
    const answer = answerRequest(facts(row, { archives: [record], volumes: [volumeRecord()] }));
    expect(answer).toMatchObject({
      patch: { homeVolume: null, archiveKey: KEY, requestDone: 1, errorReason: null },
      archives: [{ key: KEY, state: "current" }],
      volumes: [{ state: "gone" }],
    });
    const unknown = answerRequest(
      facts(ask(lost(), { kind: "restore_archive", opId: "never" }), { archives: [record] }),
    );
    expect(unknown?.patch).toEqual({ requestDone: 1 });
  });

  test("starting empty keeps the archive as a version", () => {
    const row = { ...ask(lost(), { kind: "start_empty" }), archiveKey: KEY };
    expect(answerRequest(facts(row, { archives: [archiveRecord()] }))).toMatchObject({
      patch: { homeVolume: null, archiveKey: null, phase: "PENDING" },
      archives: [{ state: "version" }],
    });
  });

  test("recover clears a stored error and the phase follows what is seen", () => {
    const info = {
      reason: "Timeout",
      message: "",
      operation: "STARTING",
      isTerminal: true,
      attempts: 1,
      elapsedMs: null,
      previousPhase: "STANDBY",
      occurredAt: NOW,
    } as const;
    const row = ask({ ...lost(), errorReason: "Timeout", errorInfo: info }, { kind: "recover" });
    expect(answerRequest(facts(row))?.patch).toMatchObject({
      phase: "STANDBY",
      errorReason: null,
      errorInfo: null,
      requestDone: 1,
    });
  });

  test("waits for a running operation, and does nothing twice", () => {
    const row = ask({ ...lost(), errorReason: "Timeout" }, { kind: "recover" });
    expect(answerRequest(facts({ ...row, operation: "STOPPING" }))).toBeNull();
    expect(answerRequest(facts({ ...row, requestDone: 1 }))).toBeNull();
  });
});

describe("backoff", () => {
  test("doubles from one second to five minutes, between half and whole of the step", () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(failures, 0, 0))).toEqual([500, 1_000, 2_000, 4_000]);
    expect([1, 9, 10, 1_000].map((failures) => backoffMs(failures, 1, 0))).toEqual([1_000, 256_000, 300_000, 300_000]);
    expect(backoffMs(1, 0, 30_000)).toBe(30_000);
  });
});
