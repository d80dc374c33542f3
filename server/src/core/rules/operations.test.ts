import { operations as operationsOnTheWire, phases as phasesOnTheWire } from "@codehub/contract";
import { describe, expect, test } from "vitest";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import {
  OPERATION_NAMES,
  type OperationName,
  PHASES,
  type VolumeRecord,
  type Workspace,
} from "#core/rows/workspace.ts";
import { pathToRequested } from "#core/words/explain.ts";
import { wayOf } from "../../../../dashboard/src/words/words.ts";
import { docsTable } from "../../../test/fixtures/docs-table.ts";
import {
  AT_REST,
  ATTEMPT,
  archiveRecord,
  conditions,
  facts,
  NOW,
  OLDER_ATTEMPT,
} from "../../../test/fixtures/workspace.ts";
import { commit, type Made } from "./completion.ts";
import { OPERATIONS, type OperationRow, type OperationTable } from "./operations.ts";
import { plan } from "./plan.ts";
import { hasRoom } from "./room.ts";
import { claim, fail, takeOver } from "./transitions.ts";

describe("the table of operations", () => {
  test("has no row whose half-done work another attempt could share", () => {
    for (const [name, { makes, freshOnTakeover }] of Object.entries(OPERATIONS)) {
      if (makes === "home" || makes === "archive") expect(freshOnTakeover, name).toBe(true);
    }
  });

  test("counts what starts a container towards the limits, and shuts the door before it", () => {
    for (const [name, { makes, closesDoor, holdsSlot }] of Object.entries(OPERATIONS)) {
      expect(holdsSlot, name).toBe(makes === "container");
      if (makes === "container" || makes === "no_container") expect(closesDoor, name).toBe(true);
    }
  });

  test("is the one in the documentation", () => {
    const yes = (holds: boolean): string => (holds ? "yes" : "–");
    const shown = (name: OperationName, row: OperationRow) => ({
      operation: name,
      "from → to": row.edge === null ? "beside the ladder" : `${row.edge.from} → ${row.edge.to}`,
      "needs to see": [...new Set(row.needs.map((key) => /\.([a-z]+)_/.exec(key)?.[1]))].join(", "),
      "home must be": row.home,
      makes: row.makes,
      "closes the door": yes(row.closesDoor),
      "new attempt on takeover": yes(row.freshOnTakeover),
      "holds a slot": yes(row.holdsSlot),
      job: row.job ?? "–",
      "timeout measures": row.timeout,
    });
    expect(docsTable("architecture/operations.md", "operations-table")).toEqual(
      OPERATION_NAMES.map((name) => shown(name, OPERATIONS[name])),
    );
  });

  test("is what the wire names and what the dashboard shows", () => {
    expect([...operationsOnTheWire].sort()).toEqual(["NONE", ...OPERATION_NAMES].sort());
    expect([...phasesOnTheWire].sort()).toEqual([...PHASES].sort());
    for (const name of OPERATION_NAMES) {
      const { from, to } = wayOf(name);
      expect({ name, from, to }).toEqual({ name, from: null, to: null, ...OPERATIONS[name].edge });
    }
  });
});

const EPOCH = 5;
const NEEDS = OPERATIONS.STARTING.needs;
const AT_STANDBY = { from: "STANDBY", to: "STANDBY" } as const;
const PLAIN = { needs: NEEDS, home: "any", closesDoor: false, holdsSlot: false, timeout: "since_progress" } as const;

/** A look at every file of a home that came from an archive, before somebody works in it. */
const SCANNING: OperationRow = {
  ...PLAIN,
  edge: AT_STANDBY,
  before: { operation: "STARTING", due: (row) => row.homeCtx.restoreMarker !== null },
  makes: "note",
  freshOnTakeover: false,
  job: "storage",
  doing: "scanning",
};

const THEIRS = archiveKey("99999999-9999-4999-8999-999999999999", OLDER_ATTEMPT);

/** A first home that is a copy of another workspace's. */
const COPYING: OperationRow = {
  ...PLAIN,
  edge: { from: "PENDING", to: "STANDBY", when: (row) => row.description === THEIRS },
  home: "nowhere",
  makes: "home",
  freshOnTakeover: true,
  job: "storage",
  doing: "copying",
};

/** What a person's script brings into a home that no container was ever started on. */
const CLONING: OperationRow = {
  ...PLAIN,
  edge: AT_STANDBY,
  before: { operation: "STARTING", due: (row) => row.homeCtx.startedImage === null },
  makes: "note",
  freshOnTakeover: true,
  job: "workspace",
  doing: "cloning",
};

const withRow = (name: string, row: OperationRow): OperationTable => ({ ...OPERATIONS, [name]: row });

interface Begun {
  readonly row: Workspace;
  readonly volumes: readonly VolumeRecord[];
}

/** Plans and claims, as one pass does. */
function begin(row: Workspace, table: OperationTable): Begun {
  const planned = plan(row, NOW, table);
  if (planned.kind !== "operate") throw new Error(planned.kind);
  const { operation, why } = planned;
  const claimed = claim(facts(row), { rowVersion: 7, operation, opId: ATTEMPT, epoch: EPOCH, why }, table);
  return { row: { ...row, ...claimed?.patch }, volumes: claimed?.volumes ?? [] };
}

function end({ row, volumes }: Begun, made: Made, table: OperationTable) {
  if (row.operation === "NONE" || row.opId === null) throw new Error("nothing is under way");
  const input = { operation: row.operation, opId: row.opId, epoch: EPOCH, made, keepVersions: 1, trashRetentionMs: 1 };
  return commit(facts(row, { volumes }), input, table);
}

function failOnce({ row, volumes }: Begun) {
  if (row.operation === "NONE" || row.opId === null) throw new Error("nothing is under way");
  const failure = { reason: "ActionFailed", message: "because" } as const;
  const tried = { operation: row.operation, opId: row.opId, epoch: EPOCH, failure };
  return fail(facts(row, { volumes }), { ...tried, maxAttempts: 3, minimumBackoffMs: 0, random: 0 });
}

const takenOver = ({ row, volumes }: Begun, table: OperationTable) =>
  takeOver(facts(row, { volumes }), { opId: ATTEMPT, freshOpId: OLDER_ATTEMPT, epoch: EPOCH }, table);

describe("an operation that leaves the level as it is", () => {
  const table = withRow("SCANNING", SCANNING);
  const standby = { ...AT_REST.STANDBY(), desiredState: "RUNNING" } as const;
  const restored = { ...standby, homeCtx: { ...standby.homeCtx, restoreMarker: THEIRS } };
  const scanned: Made = { kind: "note", homeCtx: { restoreMarker: null } };

  test("comes before the one that leads on for as long as it is due, and only then", () => {
    expect(plan(restored, NOW, table)).toMatchObject({ kind: "operate", operation: "SCANNING", to: "STANDBY" });
    expect(pathToRequested(restored, table).map((step) => step.operation)).toEqual(["SCANNING", "STARTING"]);
    expect(plan(standby, NOW, table)).toMatchObject({ operation: "STARTING" });
    expect(plan({ ...restored, desiredState: "STANDBY" }, NOW, table).kind).toBe("rest");
    expect(plan({ ...restored, desiredState: "ARCHIVED" }, NOW, table)).toMatchObject({ operation: "ARCHIVING" });
    expect(plan(restored, NOW)).toMatchObject({ operation: "STARTING" });
  });

  test("has the home alone, and is not begun where nothing would follow", () => {
    const { conditions: known, homeCtx } = restored;
    const busy = { ...restored, conditions: { ...known, ...conditions({ "infra.container_present": "true" }) } };
    expect(plan(busy, NOW, table)).toMatchObject({ operation: "STOPPING" });
    const looping = { ...restored, homeCtx: { ...homeCtx, exits: [NOW - 3, NOW - 2, NOW - 1] } };
    expect(plan(looping, NOW, table).kind).toBe("rest");
  });

  test("is claimed and committed at its level, and the next step follows", () => {
    const begun = begin(restored, table);
    expect(begun).toMatchObject({ volumes: [], row: { operation: "SCANNING", opId: ATTEMPT, phase: "STANDBY" } });
    expect(begun.row).toMatchObject({ homeVolume: restored.homeVolume, archiveKey: null, archiveOpId: null });
    expect(pathToRequested(begun.row, table).map((step) => step.operation)).toEqual(["SCANNING", "STARTING"]);
    const after = { ...begun.row, ...end(begun, scanned, table)?.patch };
    expect(after).toMatchObject({ operation: "NONE", phase: "STANDBY", homeVolume: restored.homeVolume });
    expect(plan(after, NOW, table)).toMatchObject({ kind: "operate", operation: "STARTING" });
  });

  test("keeps its attempt when it is taken over, waits after a failure, and ends in ERROR like any other", () => {
    expect(takenOver(begin(restored, table), table)).toMatchObject({ patch: { opId: ATTEMPT }, volumes: [] });
    let row: Workspace = restored;
    for (let at = 0; at < 3; at++) {
      const begun = begin({ ...row, nextAttemptAt: null }, table);
      row = { ...begun.row, ...failOnce(begun)?.patch };
      if (at < 2) expect(plan(row, NOW, table)).toMatchObject({ kind: "wait" });
    }
    expect(row).toMatchObject({ phase: "ERROR", errorReason: "RetryExceeded", homeVolume: restored.homeVolume });
    expect(row.errorInfo).toMatchObject({ operation: "SCANNING", attempts: 3, previousPhase: "STANDBY" });
  });

  test("cannot commit what its row does not make", () => {
    const begun = begin(restored, table);
    expect(() => end(begun, { kind: "no_container" }, table)).toThrow('SCANNING makes "note" and not "no_container".');
  });
});

describe("an operation that fills a new volume from another workspace's archive", () => {
  const table = withRow("COPYING", COPYING);
  const fresh = { ...AT_REST.PENDING(), desiredState: "RUNNING" } as const;
  const copy = { ...fresh, description: THEIRS };
  const name = volumeName(copy.id, ATTEMPT);

  test("is preferred for the rows it is there for, and never builds over a home", () => {
    expect(plan(copy, NOW, table)).toMatchObject({ kind: "operate", operation: "COPYING", to: "STANDBY" });
    expect(pathToRequested(copy, table).map((step) => step.operation)).toEqual(["COPYING", "STARTING"]);
    expect(plan(fresh, NOW, table)).toMatchObject({ operation: "PROVISIONING" });
    const own = archiveRecord().key;
    expect(plan({ ...copy, archiveKey: own }, NOW, table)).toMatchObject({ why: "has_home" });
  });

  test("has its volume on record before it exists, and its commit touches no archive", () => {
    const begun = begin(copy, table);
    expect(begun.volumes).toEqual([expect.objectContaining({ name, state: "building" })]);
    const done = end(begun, { kind: "home", volume: name, from: THEIRS }, table);
    expect(done).toMatchObject({ archives: [], volumes: [{ name, state: "current" }] });
    expect(done?.marks).toBeUndefined();
    expect({ ...begun.row, ...done?.patch }).toMatchObject({
      phase: "STANDBY",
      homeVolume: name,
      archiveKey: null,
      homeCtx: { restoreMarker: THEIRS },
    });
  });

  test("begins afresh when it is taken over, and leaves nothing but a retired volume when it fails", () => {
    const begun = begin(copy, table);
    const taken = takenOver(begun, table);
    expect(taken?.patch.opId).toBe(OLDER_ATTEMPT);
    expect(taken?.volumes?.map((volume) => [volume.name, volume.state])).toEqual([
      [name, "retired"],
      [volumeName(copy.id, OLDER_ATTEMPT), "building"],
    ]);
    const failed = failOnce(begun);
    expect(failed?.volumes).toEqual([expect.objectContaining({ name, state: "retired" })]);
    const after = { ...begun.row, ...failed?.patch };
    expect(after).toMatchObject({ phase: "PENDING", homeVolume: null, archiveKey: null });
    expect(plan({ ...after, nextAttemptAt: null }, NOW, table)).toMatchObject({ operation: "COPYING" });
  });
});

describe("an operation whose job has the workspace's network", () => {
  const table = withRow("CLONING", CLONING);
  const standby = { ...AT_REST.STANDBY(), desiredState: "RUNNING" } as const;

  test("is a job of its own kind: bounded with all operations, but not one of the few that move homes", () => {
    const { row } = begin(standby, table);
    if (row.operation === "NONE") throw new Error("nothing is under way");
    const room = { maxOperations: 3, maxStorageJobs: 1, maxStarts: 3, startingMs: 1 };
    const work = (operation: OperationName) => ({ operation, awaited: true, ageMs: 5 });
    expect(table[row.operation].job).toBe("workspace");
    expect(hasRoom(work(row.operation), [work("ARCHIVING")], room, table)).toBe(true);
    expect(hasRoom(work("ARCHIVING"), [work(row.operation)], room, table)).toBe(true);
    const three = [work("STARTING"), work("STARTING"), work("STARTING")];
    expect(hasRoom(work(row.operation), three, room, table)).toBe(false);
  });

  test("runs from plan to commit; taken over, it is another attempt on the same volume", () => {
    const begun = begin(standby, table);
    expect(begun).toMatchObject({ volumes: [], row: { operation: "CLONING", endpoint: null } });
    expect(takenOver(begun, table)).toMatchObject({ patch: { opId: OLDER_ATTEMPT }, volumes: [] });
    expect({ ...begun.row, ...failOnce(begun)?.patch }).toMatchObject({ phase: "STANDBY", operation: "NONE" });
    const after = { ...begun.row, ...end(begun, { kind: "note", homeCtx: { startedImage: "image" } }, table)?.patch };
    expect(plan(after, NOW, table)).toMatchObject({ kind: "operate", operation: "STARTING" });
  });
});
