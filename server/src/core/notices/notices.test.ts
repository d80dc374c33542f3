import { describe, expect, test } from "vitest";
import { findingsOf } from "#core/doctor/finding.ts";
import { type AttentionFacts, type Concern, concernsIn, unseenOf, workspacesOf } from "./concerns.ts";
import { afterTelling, type Decided, isGivenUp, noticesDue, type Remembered } from "./due.ts";

const HOUR = 3_600_000;
const nothing: AttentionFacts = {
  ...{ now: 10 * HOUR, workspaces: [], moreWorkspaces: 0 },
  ...{ parts: [], findings: [], quarantine: null },
};
const workspace = { id: "w1", name: "api", owner: "ada", inError: true, reason: "DiskFull", since: 9 * HOUR };
const part = { name: "engine", status: "down", detail: "It does not answer." };

describe("what needs attention", () => {
  test.each<[string, Partial<AttentionFacts>, string[]]>([
    ["nothing", {}, []],
    ["a workspace in ERROR, at once", { workspaces: [{ ...workspace, since: nothing.now }] }, ["workspace_error w1"]],
    ["one that is on its way", { workspaces: [{ ...workspace, inError: false, since: 9 * HOUR + 1 }] }, []],
    ["one that is so for too long", { workspaces: [{ ...workspace, inError: false }] }, ["workspace_stuck w1"]],
    [
      "more of them than are listed",
      { workspaces: [workspace], moreWorkspaces: 3 },
      ["workspace_error w1", "more_workspaces"],
    ],
    ["a part that is down", { parts: [part] }, ["part_down engine"]],
    [
      "parts that work, or that nobody knows of",
      {
        parts: [
          { ...part, status: "ok" },
          { ...part, status: "unknown" },
        ],
      },
      [],
    ],
    ["something broken", { findings: [findingsOf("dns")("broken", "dns_no_base")] }, ["finding dns dns_no_base"]],
    ["a warning", { findings: [findingsOf("redis")("warning", "redis_failed")] }, []],
    ["a disk that fills up", { findings: [findingsOf("disk")("warning", "disk_low")] }, ["finding disk disk_low"]],
    ["a collection that is paused", { quarantine: "It was restored." }, ["collection_paused"]],
  ])("%s", (_name, facts, keys) => {
    expect(concernsIn({ ...nothing, ...facts }).map(({ key }) => key)).toEqual(keys);
  });
});

test.each<[string, Partial<AttentionFacts>, string]>([
  ["a part", { parts: [part] }, "/admin#health"],
  ["a finding", { findings: [findingsOf("disk")("broken", "disk_full")] }, "/admin#doctor"],
  ["a collection", { quarantine: "It was restored." }, "/admin#collection"],
  ["a workspace", { workspaces: [workspace] }, "/workspaces/w1"],
  ["others", { moreWorkspaces: 2 }, "/admin/workspaces"],
])("%s leads to where it is seen to", (_name, facts, path) => {
  expect(concernsIn({ ...nothing, ...facts }).map((one) => one.path)).toEqual([path]);
});

describe("what nobody can see just now is not over", () => {
  const before = concernsIn({
    ...nothing,
    workspaces: [workspace],
    parts: [part],
    findings: [findingsOf("store")("broken", "store_refused"), findingsOf("disk")("warning", "disk_low")],
  });
  const unknown = findingsOf("store")("unknown", "store_not_asked");
  test.each<[string, Partial<AttentionFacts>, string[]]>([
    ["everything was looked at", {}, []],
    ["nobody knows of the part", { parts: [{ ...part, status: "unknown" }] }, ["part_down engine"]],
    ["the part works", { parts: [{ ...part, status: "ok" }] }, []],
    ["one check could not look", { findings: [unknown] }, ["finding store store_refused"]],
    ["no check could", { findings: null }, ["finding store store_refused", "finding disk disk_low"]],
  ])("%s", (_name, facts, kept) => {
    expect(unseenOf(before, { ...nothing, ...facts }).map(({ key }) => key)).toEqual(kept);
  });
});

test("which workspaces concerns are about is told by them", () => {
  const facts = { ...nothing, workspaces: [workspace, { ...workspace, id: "w2" }], moreWorkspaces: 1, parts: [part] };
  expect(workspacesOf(concernsIn(facts))).toEqual(["w1", "w2"]);
});

describe("who is told what, and when", () => {
  const concern: Concern = { key: "k", code: "engine_down", fields: {}, path: "/admin" };
  const seen: Remembered = { ...concern, id: "1", seenAt: 0, toldAt: null, goneAt: null, tries: 0, nextTryAt: 0 };
  const told: Remembered = { ...seen, toldAt: 60_000 };
  const gone: Remembered = { ...told, goneAt: 100_000, nextTryAt: 100_000 };
  const decide = (there: readonly Concern[], remembered: readonly Remembered[], now: number): Decided =>
    noticesDue(there, remembered, { now, afterMs: 60_000, newId: () => "new" });
  const short = ({ save, forget, tell }: Decided): string[] => [
    ...save.map((row) => `save ${row.key}`),
    ...forget.map((key) => `forget ${key}`),
    ...tell.map(({ state, row }) => `${state} ${row.id}, try ${row.tries}`),
  ];

  test.each<[string, readonly Concern[], readonly Remembered[], number, string[]]>([
    ["seen for the first time", [concern], [], 0, ["save k"]],
    ["seen again, too soon", [concern], [seen], 59_999, []],
    ["seen for long enough", [concern], [seen], 60_000, ["save k", "begun 1, try 1"]],
    ["it did not get through, and waits", [concern], [{ ...seen, tries: 1, nextTryAt: 120_000 }], 119_999, []],
    [
      "and is tried again",
      [concern],
      [{ ...seen, tries: 1, nextTryAt: 120_000 }],
      120_000,
      ["save k", "begun 1, try 2"],
    ],
    ["told", [concern], [told], 10 ** 9, []],
    ["gone before anybody was told", [], [seen], 30_000, ["forget k"]],
    ["gone", [], [told], 100_000, ["save k"]],
    ["gone, and not for long enough", [], [gone], 159_999, []],
    ["gone for long enough", [], [gone], 160_000, ["save k", "over 1, try 1"]],
    ["back before it was told to be over", [concern], [gone], 150_000, ["save k"]],
  ])("%s", (_name, there, remembered, now, expected) => {
    expect(short(decide(there, remembered, now))).toEqual(expected);
  });

  test("a concern that is back goes on as it was: nobody is told twice", () => {
    const [back] = decide([concern], [gone], 150_000).save;
    expect(back).toMatchObject({ toldAt: 60_000, goneAt: null });
    expect(decide([concern], back === undefined ? [] : [back], 10 ** 9).tell).toEqual([]);
  });

  test("told is remembered, over is forgotten, and the next time is a new one", () => {
    const [due] = decide([concern], [seen], 60_000).tell;
    expect(due && afterTelling(due, 61_000)).toMatchObject({ toldAt: 61_000, tries: 0 });
    const [over] = decide([], [gone], 160_000).tell;
    expect(over && afterTelling(over, 161_000)).toBeNull();
    expect(decide([concern], [], 200_000).save[0]?.id).toBe("new");
  });

  test("waits grow to an hour, and after eight tries it is given up", () => {
    let row = seen;
    const waits: number[] = [];
    let givenUp = false;
    for (let now = 60_000; !givenUp; now = row.nextTryAt) {
      const [due] = decide([concern], [row], now).tell;
      if (due === undefined) throw new Error("nothing is due");
      waits.push((due.row.nextTryAt - now) / 60_000);
      row = due.row;
      givenUp = isGivenUp(due);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  test("many at once come in several messages, and each in one", () => {
    const many = Array.from({ length: 120 }, (_, n) => ({ ...seen, key: `k${n}`, id: `${n}` }));
    const first = decide(many, many, 60_000);
    expect(first.tell).toHaveLength(50);
    const after = new Map(
      [...many, ...first.save.map((row) => ({ ...row, toldAt: 60_000 }))].map((row) => [row.key, row]),
    );
    const second = decide(many, [...after.values()], 90_000).tell;
    expect(second).toHaveLength(50);
    expect(second.some(({ row }) => first.tell.some((one) => one.row.key === row.key))).toBe(false);
  });
});
