import { describe, expect, test } from "vitest";
import { OPERATION_NAMES, type OperationName } from "#core/rows/workspace.ts";
import { AT_REST } from "../../../test/fixtures/workspace.ts";
import {
  hasRoom,
  isAwaited,
  PATIENCE_MS,
  placeFreeInMs,
  roomFor,
  roomOn,
  storageJobsAfter,
  turnOf,
  type WorkInLine,
  type WorkUnderWay,
} from "./room.ts";

const ROOM = { maxStarts: 4, startingMs: 1_000, maxStorageJobs: 3, maxOperations: 16 };

const busy = (operation: OperationName, count: number, ageMs = 0, awaited = false): WorkUnderWay[] =>
  Array.from({ length: count }, () => ({ operation, awaited, ageMs }));

describe("room", () => {
  test.each<[string, OperationName, WorkUnderWay[], { awaited: boolean; housekeeping: boolean }]>([
    ["nothing", "STARTING", [], { awaited: true, housekeeping: true }],
    ["all starts but one", "STARTING", busy("STARTING", 3), { awaited: true, housekeeping: false }],
    ["homes and starts", "STARTING", [...busy("STARTING", 2), ...busy("PROVISIONING", 2)], no()],
    ["as many starts", "PROVISIONING", busy("STARTING", 4), no()],
    ["starts that only wait", "STARTING", busy("STARTING", 12, 1_000), { awaited: true, housekeeping: false }],
    ["a hundredth start that waits", "STARTING", busy("STARTING", 16, 1_000), no()],
    ["homes that move", "STARTING", busy("ARCHIVING", 3), { awaited: true, housekeeping: true }],
    ["homes that move", "PROVISIONING", busy("RESTORING", 3), { awaited: true, housekeeping: true }],
    ["starts", "RESTORING", busy("STARTING", 4), { awaited: true, housekeeping: true }],
    ["one home less than may", "RESTORING", busy("ARCHIVING", 2), { awaited: true, housekeeping: false }],
    ["homes that move for long", "RESTORING", busy("ARCHIVING", 3, 9_999_999), no()],
    ["homes that move", "ARCHIVING", busy("CREATE_EMPTY_ARCHIVE", 3), no()],
    ["all but a quarter", "STOPPING", busy("STOPPING", 12), { awaited: true, housekeeping: false }],
    ["everything", "STOPPING", busy("STOPPING", 16), no()],
    ["starts", "STOPPING", busy("STARTING", 4), { awaited: true, housekeeping: true }],
  ])("beside %s: for %s", (_beside, operation, underWay, expected) => {
    expect({
      awaited: hasRoom({ operation, awaited: true }, underWay, ROOM),
      housekeeping: hasRoom({ operation, awaited: false }, underWay, ROOM),
    }).toEqual(expected);
  });

  test("is there for everything where nothing is under way, however small the machine", () => {
    const smallest = { ...roomOn(0), startingMs: 1, maxOperations: 1 };
    for (const operation of OPERATION_NAMES) {
      expect(hasRoom({ operation, awaited: true }, [], smallest), operation).toBe(true);
      expect(hasRoom({ operation, awaited: false }, [], { ...smallest, maxStorageJobs: 1 }), operation).toBe(true);
    }
  });

  test("follows the cores", () => {
    expect(roomOn(1)).toEqual({ maxStarts: 2, maxStorageJobs: 2 });
    expect(roomOn(2)).toEqual({ maxStarts: 4, maxStorageJobs: 4 });
    expect(roomOn(64)).toEqual({ maxStarts: 128, maxStorageJobs: 16 });
    expect(roomFor("docker", 2)).toEqual(roomOn(2));
    expect(roomFor("kubernetes", 2)).toEqual({ maxStarts: 32, maxStorageJobs: 16 });
  });

  test("for homes that move follows what is asked: half as many when it does not answer, one more when it does", () => {
    expect([4, 3, 2, 1].map((limit) => storageJobsAfter(limit, false, ROOM))).toEqual([2, 1, 1, 1]);
    expect([1, 2, 3].map((limit) => storageJobsAfter(limit, true, ROOM))).toEqual([2, 3, 3]);
  });

  test("of a start is another's when it only waits", () => {
    expect(placeFreeInMs([], ROOM)).toBe(Number.POSITIVE_INFINITY);
    expect(placeFreeInMs(busy("STARTING", 2, 1_000), ROOM)).toBe(Number.POSITIVE_INFINITY);
    expect(placeFreeInMs([...busy("STARTING", 1, 300), ...busy("STARTING", 1, 400)], ROOM)).toBe(600);
  });
});

describe("who waits", () => {
  test("is somebody only where a workspace shall run", () => {
    expect(isAwaited({ ...AT_REST.STANDBY(), desiredState: "RUNNING" })).toBe(true);
    expect(isAwaited({ ...AT_REST.STANDBY(), desiredState: "RUNNING", deletedAt: 1 })).toBe(false);
    expect(isAwaited({ ...AT_REST.STANDBY(), desiredState: "ARCHIVED" })).toBe(false);
    expect(isAwaited({ ...AT_REST.RUNNING(), desiredState: "STANDBY" })).toBe(false);
  });
});

describe("whose turn it is", () => {
  const inLine = (id: string, operation: OperationName, awaited: boolean, waitedMs: number): WorkInLine => ({
    id,
    operation,
    awaited,
    waitedMs,
  });
  const names = (turn: readonly WorkInLine[]): string[] => turn.map(({ id }) => id);

  test("is who somebody waits for, then who waited longest", () => {
    const line = [
      inLine("old archive", "ARCHIVING", false, 900),
      inLine("new archive", "ARCHIVING", false, 800),
      inLine("late restore", "RESTORING", true, 1),
      inLine("early restore", "RESTORING", true, 2),
    ];
    expect(names(turnOf(line, [], ROOM))).toEqual(["early restore", "late restore"]);
    expect(names(turnOf(line, busy("RESTORING", 2), ROOM))).toEqual(["early restore"]);
    expect(names(turnOf(line.slice(0, 2), [], ROOM))).toEqual(["old archive", "new archive"]);
  });

  test("is also of others who have room where the first has none", () => {
    const line = [inLine("archive", "ARCHIVING", false, 900), inLine("start", "STARTING", true, 1)];
    expect(names(turnOf(line, busy("ARCHIVING", 3), ROOM))).toEqual(["start"]);
    expect(names(turnOf(line, busy("STARTING", 4), ROOM))).toEqual(["archive"]);
  });

  test("comes to everybody: after a minute housekeeping goes before who asked later", () => {
    const line = [
      inLine("archive", "ARCHIVING", false, PATIENCE_MS),
      inLine("restore", "RESTORING", true, PATIENCE_MS - 1),
    ];
    expect(names(turnOf(line, busy("RESTORING", 2, 0, true), ROOM))).toEqual(["archive"]);
    expect(names(turnOf(line, busy("ARCHIVING", 2), ROOM))).toEqual(["restore"]);
    const archives = ["a", "b", "c"].map((id) => inLine(id, "ARCHIVING", false, 9 * PATIENCE_MS));
    expect(names(turnOf(archives, busy("RESTORING", 2, 0, true), ROOM))).toEqual(["a"]);
    expect(names(turnOf(archives, [], ROOM))).toEqual(["a", "b"]);
  });

  test("is never more than there is room for", () => {
    const line = Array.from({ length: 100 }, (_, index) => inLine(String(index), "STARTING", true, 100 - index));
    expect(names(turnOf(line, busy("STARTING", 1), ROOM))).toEqual(["0", "1", "2"]);
  });
});

function no() {
  return { awaited: false, housekeeping: false };
}
