import { describe, expect, test } from "vitest";
import { type FormerTerm, judgeFormerLeader, type ProcessIdentity, type Sighting } from "./succession.ts";

const SELF: ProcessIdentity = {
  machineId: "machine",
  bootId: "boot",
  pidNamespace: "pid:[1]",
  networkNamespace: "net:[2]",
  timeNamespace: "time:[3]",
  pid: 200,
  startTicks: "9000",
};
const HOLDER: ProcessIdentity = { ...SELF, pid: 100, startTicks: "5000" };
const FORMER: FormerTerm = { epoch: 7, holder: HOLDER, begun: true, ended: false };
const NOBODY: Sighting = { kind: "nobody" };
const THERE: Sighting = { kind: "somebody", startTicks: HOLDER.startTicks };
const ANOTHER: Sighting = { kind: "somebody", startTicks: "8000" };

describe("a former leader", () => {
  test.each<[string, Partial<FormerTerm>, ProcessIdentity | null, Sighting, string]>([
    ["whose process is gone", {}, SELF, NOBODY, "gone: process_gone"],
    ["whose process number another one has", {}, SELF, ANOTHER, "gone: pid_used_again"],
    ["whose process number we have ourselves", {}, { ...SELF, pid: 100 }, ANOTHER, "gone: pid_used_again"],
    ["that was never there", { epoch: 0, holder: null, begun: false }, SELF, NOBODY, "gone: nobody_led"],
    ["that gave its right back", { ended: true }, SELF, THERE, "gone: ended_in_order"],
    ["that gave its right back elsewhere", { ended: true }, null, NOBODY, "gone: ended_in_order"],
    [
      "on a machine without an id, as ours",
      { holder: { ...HOLDER, machineId: null } },
      { ...SELF, machineId: null },
      NOBODY,
      "gone: process_gone",
    ],

    ["that is still there", {}, SELF, THERE, "unknown: still_there"],
    [
      "that is ourselves",
      { holder: SELF },
      SELF,
      { kind: "somebody", startTicks: SELF.startTicks },
      "unknown: still_there",
    ],
    ["that we may not see", {}, SELF, { kind: "hidden" }, "unknown: hidden"],
    ["of a version that did not say who it is", { holder: null }, SELF, NOBODY, "unknown: not_on_record"],
    ["asked about by somebody who does not know where he is", {}, null, NOBODY, "unknown: not_on_record"],
    ["that ended while it waited itself", { begun: false }, SELF, NOBODY, "unknown: had_not_begun"],
    [
      "that ended in order while it waited itself",
      { begun: false, ended: true },
      SELF,
      NOBODY,
      "unknown: had_not_begun",
    ],
  ])("%s", (_who, former, self, seen, expected) => {
    const { verdict, why } = judgeFormerLeader({ ...FORMER, ...former }, self, seen);
    expect(`${verdict}: ${why}`).toBe(expected);
  });

  // Another host has a process of the same number, started at the same tick: looking here says nothing about it.
  test.each(["machineId", "bootId", "pidNamespace", "networkNamespace", "timeNamespace"] as const)(
    "of another %s is not known to be gone, whoever has its number here",
    (part) => {
      for (const seen of [NOBODY, ANOTHER, THERE, { kind: "hidden" } as const]) {
        const former = { ...FORMER, holder: { ...HOLDER, [part]: "another" } };
        expect(judgeFormerLeader(former, SELF, seen)).toEqual({ verdict: "unknown", why: "another_place" });
      }
    },
  );
});
