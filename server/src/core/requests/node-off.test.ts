import { describe, expect, test } from "vitest";
import { seen } from "#core/rows/observation.ts";
import type { RequestAction, Workspace } from "#core/rows/workspace.ts";
import { judge } from "#core/rules/judge.ts";
import { AT_REST, ATTEMPT, facts, NOW } from "../../../test/fixtures/workspace.ts";
import { answerRequest } from "./answer-request.ts";
import { recordWord, requestNodeOff, useWord, wordGiven } from "./node-off.ts";
import type { Verdict } from "./requests.ts";

const input = (row: Workspace | null) => ({ row, now: NOW, slots: { ofOwner: 0, global: 0 } });
const refusal = ({ result }: Verdict): string => (result.accepted ? "accepted" : result.refusal);

/** As judged from a look at the engine. */
function stranded(base: Workspace = AT_REST.RUNNING()): Workspace {
  const container = {
    id: "pod/uid-1",
    workspaceId: base.id,
    volume: base.homeVolume,
    attempt: ATTEMPT,
    state: "running",
    address: null,
    exitCode: null,
    silentNode: "node-2",
  } as const;
  const { conditions } = judge(base, { at: NOW, volume: seen(true), containers: seen([container]), archive: null });
  return { ...base, conditions };
}
const pending = (action: RequestAction): Workspace => ({
  ...stranded(),
  request: { version: 4, action },
  requestDone: 3,
});

describe("an operator's word that a node is off", () => {
  test("needs a container on a silent node, and the exact name of that node", () => {
    expect(refusal(requestNodeOff(input(null), "node-2", "root"))).toBe("NOT_FOUND");
    expect(refusal(requestNodeOff(input(AT_REST.RUNNING()), "node-2", "root"))).toBe("NODE_NOT_SILENT");
    expect(refusal(requestNodeOff(input(stranded()), "node-20", "root"))).toBe("NODE_MISMATCH");
    expect(refusal(requestNodeOff(input(stranded()), "", "root"))).toBe("NODE_MISMATCH");
  });

  test("is not taken on what was seen before the engine itself fell silent", () => {
    const row = stranded();
    const before = row.conditions["infra.container_present"];
    if (before === undefined) throw new Error("no condition");
    const doubtful = { ...row, conditions: { "infra.container_present": { ...before, unknownSince: NOW } } };
    expect(refusal(requestNodeOff(input(doubtful), "node-2", "root"))).toBe("NODE_NOT_SILENT");
  });

  test("speaks of that one container, is on record, and changes neither level nor request version", () => {
    const verdict = requestNodeOff(input(stranded()), "node-2", "root");
    expect(verdict).toMatchObject({
      write: { request: { version: 1, action: { kind: "node_off", container: "pod/uid-1", node: "node-2" } } },
      events: [
        { actor: "root", kind: "request", code: "node_off", details: { container: "pod/uid-1", node: "node-2" } },
      ],
    });
    expect(Object.keys(verdict.write ?? {})).toEqual(["request"]);
  });

  test("is taken for a deleted workspace too, and in the place of what waits for the same container", () => {
    expect(refusal(requestNodeOff(input({ ...stranded(), deletedAt: NOW }), "node-2", "root"))).toBe("accepted");
    for (const [action, expected] of [
      [{ kind: "restart" }, "accepted"],
      [{ kind: "verify_archive", opId: ATTEMPT }, "accepted"],
      [{ kind: "recover" }, "REQUEST_PENDING"],
      [{ kind: "node_off", container: "pod/uid-1", node: "node-2" }, "REQUEST_PENDING"],
    ] as const)
      expect([action.kind, refusal(requestNodeOff(input(pending(action)), "node-2", "root"))]).toEqual([
        action.kind,
        expected,
      ]);
  });

  test("is used once: whoever reads the row afterwards finds none", () => {
    const row = pending({ kind: "node_off", container: "pod/uid-1", node: "node-2" });
    expect(wordGiven(row)).toEqual({ container: "pod/uid-1", node: "node-2" });
    expect(answerRequest(facts(row))).toBeNull();
    const used = useWord(facts(row));
    expect(used).toEqual({ patch: { requestDone: 4 } });
    const after = { ...row, ...used?.patch };
    expect(wordGiven(after)).toBeNull();
    expect(useWord(facts(after))).toBeNull();
    expect(useWord(facts(pending({ kind: "restart" })))).toBeNull();
  });

  test("leaves a line of what came of it", () => {
    const about = { container: "pod/uid-1", node: "node-2" };
    expect(recordWord(facts(stranded()), about, null)).toMatchObject({
      patch: {},
      events: [{ kind: "container_given_up", details: about }],
    });
    const failure = { reason: "ActionFailed", fields: { failure: "node_answers" }, message: "" } as const;
    expect(recordWord(facts(stranded()), about, failure).events).toMatchObject([
      { kind: "container_not_given_up", details: { ...about, failure: "node_answers" } },
    ]);
  });
});
