import { describe, expect, test } from "vitest";
import { archiveKey } from "#core/rows/names.ts";
import type { ArchiveRecord, Workspace } from "#core/rows/workspace.ts";
import {
  AT_REST,
  archiveRecord,
  KEY,
  NOW,
  VOLUME,
  volumeRecord,
  WORKSPACE_ID,
  workspace,
} from "../../../test/fixtures/workspace.ts";
import { adoptArchives } from "./adopt-archives.ts";
import { fateOf, giveUpEngine } from "./give-up-engine.ts";
import { type HomeThere, judgeMove, type MoveFacts } from "./judge-move.ts";

const facts = (row: Workspace, archives: readonly ArchiveRecord[] = [], volumes = [volumeRecord()]) => ({
  row,
  archives,
  volumes,
  now: NOW,
});
function another(letter: string, change: Partial<ArchiveRecord> = {}): ArchiveRecord {
  const opId = "cccccccc-cccc-4ccc-8ccc-cccccccccccc".replaceAll("c", letter);
  return archiveRecord({ key: archiveKey(WORKSPACE_ID, opId), opId, ...change });
}

describe("an engine that is given up", () => {
  test("a home with archives is the newest of them, whatever ran", () => {
    const older = archiveRecord({ state: "current", createdAt: NOW - 5_000 });
    const newer = another("d", { state: "version", createdAt: NOW - 1_000 });
    const busy = {
      ...AT_REST.RUNNING(),
      operation: "ARCHIVING",
      opId: newer.opId,
      opEpoch: 3,
      opStartedAt: NOW,
    } as const;
    const mutation = giveUpEngine(facts(busy, [older, newer]));
    expect(mutation?.patch).toMatchObject({
      homeVolume: null,
      archiveKey: newer.key,
      endpoint: null,
      operation: "NONE",
      opId: null,
      conditions: {},
    });
    expect(mutation?.archives?.map(({ key, state }) => [key, state])).toEqual([
      [older.key, "version"],
      [newer.key, "current"],
    ]);
    expect(mutation?.volumes).toMatchObject([{ name: VOLUME, state: "gone" }]);
  });

  test.each([
    ["none", []],
    ["only discarded ones", [archiveRecord({ state: "trash", keepUntil: NOW + 1 })]],
    ["only given up ones", [archiveRecord({ state: "orphan" })]],
  ])("a home with %s goes on naming what is lost", (_name, archives) => {
    const standby = facts(AT_REST.STANDBY(), archives);
    expect(fateOf(standby)).toBe("lost");
    const mutation = giveUpEngine(standby);
    expect(mutation?.patch).not.toHaveProperty("homeVolume");
    expect(mutation?.patch).not.toHaveProperty("archiveKey");
    expect(mutation).toMatchObject({ volumes: [], archives: [] });
  });

  test("an archived home stays where it is; what was left of it is forgotten", () => {
    const retired = volumeRecord({ state: "retired", retiredAt: NOW - 1 });
    const mutation = giveUpEngine(facts(AT_REST.ARCHIVED(), [archiveRecord()], [retired]));
    expect(mutation?.patch).not.toHaveProperty("archiveKey");
    expect(mutation?.volumes).toMatchObject([{ state: "gone" }]);
    expect(mutation?.archives).toEqual([]);
    expect(giveUpEngine(facts(AT_REST.ARCHIVED(), [archiveRecord()], [volumeRecord({ state: "gone" })]))).toBeNull();
  });
});

describe("archives that a restored database does not know", () => {
  const takenAt = NOW - 10_000_000;
  const fresh = another("d", { createdAt: NOW - 1_000 });

  test("the newest is the home of a workspace that is archived anyway", () => {
    const mutation = adoptArchives(facts(AT_REST.ARCHIVED(), [archiveRecord()]), [fresh], takenAt);
    expect(mutation?.patch).toMatchObject({ archiveKey: fresh.key, conditions: {} });
    expect(mutation?.archives?.map(({ key, state }) => [key, state])).toEqual([
      [KEY, "version"],
      [fresh.key, "current"],
    ]);
  });

  test("also of one that had no home yet", () => {
    const mutation = adoptArchives(facts(workspace(), [], []), [fresh], takenAt);
    expect(mutation?.patch).toMatchObject({ archiveKey: fresh.key });
  });

  test("beside a home on a volume they are versions, to be chosen", () => {
    const mutation = adoptArchives(facts(AT_REST.STANDBY()), [fresh], takenAt);
    expect(mutation?.patch).toEqual({});
    expect(mutation?.archives).toMatchObject([{ key: fresh.key, state: "version" }]);
  });

  test.each([
    ["known ones", archiveRecord()],
    ["what was given up before the backup", another("e", { createdAt: takenAt - 3_600_001 })],
  ])("%s are left alone", (_name, record) => {
    expect(adoptArchives(facts(AT_REST.ARCHIVED(), [archiveRecord()]), [record], takenAt)).toBeNull();
  });
});

describe("whether a deployment may move", () => {
  const home = (id: string, change: Partial<HomeThere> = {}): HomeThere => ({
    id,
    name: `name of ${id}`,
    owner: "mina",
    hasHome: true,
    busy: false,
    ...change,
  });
  const bound = { runtimeKind: "process", engineId: "e1", storeId: "s1" };
  const moving = (change: Partial<MoveFacts>): MoveFacts => ({
    bound,
    found: { runtimeKind: "docker", engineId: "e2", storeId: "s1" },
    there: [],
    lost: [],
    missingArchives: 0,
    ...change,
  });
  const idle = home("a", { hasHome: false });
  test.each<[string, Partial<MoveFacts>, object]>([
    ["nothing has changed", { found: bound, missingArchives: 3 }, { kind: "nothing" }],
    ["nobody is there", {}, { kind: "move", engine: true, store: false, lost: [] }],
    ["the same id of another kind", { found: { ...bound, runtimeKind: "docker" } }, { kind: "move", engine: true }],
    ["to another engine of the same kind", { found: { ...bound, engineId: "e2" } }, { kind: "move" }],
    ["only leftovers are there", { there: [idle] }, { kind: "move", lost: [] }],
    ["a home is there", { there: [home("a"), idle] }, { kind: "homes_there", homes: [home("a")] }],
    ["it is given up by id", { there: [home("a")], lost: ["a"] }, { kind: "move", lost: [home("a")] }],
    ["it is given up by name", { there: [home("a")], lost: ["name of a"] }, { kind: "move", lost: [home("a")] }],
    [
      "one of two is given up",
      { there: [home("a"), home("b")], lost: ["a"] },
      { kind: "homes_there", homes: [home("b")] },
    ],
    [
      "a name that two have",
      { there: [home("a", { name: "x" }), home("b", { name: "x" })], lost: ["x"] },
      { kind: "unclear", words: ["x"] },
    ],
    ["a name that nobody has", { there: [home("a")], lost: ["a", "y"] }, { kind: "unclear", words: ["y"] }],
    ["something is under way", { there: [{ ...idle, busy: true }] }, { kind: "busy" }],
    ["what is given up may be busy", { there: [home("a", { busy: true })], lost: ["a"] }, { kind: "move" }],
    [
      "another store with everything",
      { found: { ...bound, storeId: "s2" }, there: [home("a")] },
      { kind: "move", engine: false, store: true },
    ],
    [
      "another store without everything",
      { found: { ...bound, storeId: "s2" }, missingArchives: 1 },
      { kind: "missing_archives", count: 1 },
    ],
  ])("%s", (_name, change, expected) => {
    expect(judgeMove(moving(change))).toMatchObject(expected);
  });
});
