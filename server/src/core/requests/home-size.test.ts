import { describe, expect, test } from "vitest";
import type { Workspace } from "#core/rows/workspace.ts";
import { AT_REST, facts, NOW } from "../../../test/fixtures/workspace.ts";
import { answerRequest } from "./answer-request.ts";
import { recordGrowth, requestGrow, roomFor } from "./home-size.ts";
import type { Verdict } from "./requests.ts";

const GIB = 1024 ** 3;
const SIZES = { newBytes: 10 * GIB, ownerMaxBytes: 50 * GIB };
const refusal = ({ result }: Verdict): string => (result.accepted ? "accepted" : result.refusal);
function sized(sizeBytes: number | null): Workspace {
  const row = AT_REST.RUNNING();
  return { ...row, homeCtx: { ...row.homeCtx, sizeBytes } };
}
const ask = (row: Workspace | null, gib: number, byAdmin = false): Verdict =>
  requestGrow({ row, now: NOW, slots: { ofOwner: 0, global: 0 } }, { bytes: gib * GIB, byAdmin }, SIZES, "ada");

describe("a larger home", () => {
  test.each([
    ["more than a new one has", sized(null), 11, false, "accepted"],
    ["as much as a new one has", sized(null), 10, false, "SIZE_NOT_LARGER"],
    ["less than it was given", sized(30 * GIB), 20, false, "SIZE_NOT_LARGER"],
    ["less than it was given, by an administrator", sized(30 * GIB), 20, true, "SIZE_NOT_LARGER"],
    ["the most that an owner may have", sized(null), 50, false, "accepted"],
    ["more than an owner may have", sized(null), 51, false, "SIZE_ABOVE_LIMIT"],
    ["more than an owner may have, by an administrator", sized(null), 51, true, "accepted"],
    ["for a deleted workspace", { ...sized(null), deletedAt: NOW }, 20, true, "DELETED"],
    ["for none", null, 20, true, "NOT_FOUND"],
  ] as const)("%s", (_, row, gib, byAdmin, expected) => {
    expect(refusal(ask(row, gib, byAdmin))).toBe(expected);
  });

  const asked: Workspace = { ...sized(null), request: { version: 3, action: { kind: "grow_home", bytes: 20 * GIB } } };

  test("is remembered when it was made, and not when it was refused", () => {
    expect(answerRequest(facts(asked))).toBeNull();
    expect(recordGrowth(facts(asked), 3, null)).toMatchObject({
      patch: { requestDone: 3, homeCtx: { ...asked.homeCtx, sizeBytes: 20 * GIB } },
      events: [{ kind: "home_grown", details: { bytes: 20 * GIB } }],
    });
    const refused = { reason: "ActionFailed", message: "no" } as const;
    const not = recordGrowth(facts(asked), 3, refused);
    expect(not?.patch).toEqual({ requestDone: 3 });
    expect(not?.events).toMatchObject([{ kind: "home_not_grown", details: { message: "no" } }]);
  });

  test("is recorded for the request that was carried out and for no other", () => {
    expect(recordGrowth(facts(asked), 2, null)).toBeNull();
    expect(recordGrowth(facts({ ...asked, requestDone: 3 }), 3, null)).toBeNull();
  });

  test("the room for an archive is more than its files", () => {
    expect(roomFor({ contentBytes: 0, entryCount: 0 })).toBeGreaterThan(16 * 1024 ** 2);
    expect(roomFor({ contentBytes: 10 * GIB, entryCount: 100_000 })).toBeGreaterThan(11 * GIB);
  });
});
