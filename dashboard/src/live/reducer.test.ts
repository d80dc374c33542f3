import type { Progress } from "@codehub/contract";
import { describe, expect, test } from "vitest";
import { sampleWorkspace } from "../words/sample.ts";
import { initialLiveState, type LiveAction, reduceLive } from "./reducer.ts";

const run = (...actions: LiveAction[]) => actions.reduce(reduceLive, initialLiveState);
const ws = (version: number, over = {}) => sampleWorkspace({ version, ...over });
const id = ws(1).id;
const progress = (done: number): Progress => ({
  stage: "upload",
  bytes_done: done,
  bytes_total: 100,
  files_done: 1,
  files_total: 2,
  rate_bytes_per_second: 10,
  eta_seconds: 5,
  updated_at: "2026-11-15T10:00:00.000Z",
});

test("an empty list is known to be empty only after the snapshot", () => {
  expect(run().loaded).toBe(false);
  const state = run({ type: "snapshot", data: { workspaces: [] } });
  expect(state.loaded).toBe(true);
  expect(state.workspaces.size).toBe(0);
});

describe("versions", () => {
  test("an older update is ignored, an equal one is taken", () => {
    const newer: LiveAction = { type: "workspace_updated", data: ws(5, { name: "new" }) };
    expect(run(newer, { type: "workspace_updated", data: ws(4, { name: "old" }) }).workspaces.get(id)?.name).toBe(
      "new",
    );
    expect(run(newer, { type: "workspace_updated", data: ws(5, { name: "same" }) }).workspaces.get(id)?.name).toBe(
      "same",
    );
  });

  test("a snapshot drops what it does not hold and keeps an answer that overtook it", () => {
    const other = "00000000-0000-4000-8000-000000000002";
    const state = run(
      { type: "snapshot", data: { workspaces: [ws(1), ws(1, { id: other })] } },
      { type: "answered", workspace: ws(7, { desired_state: "RUNNING" }) },
      { type: "snapshot", data: { workspaces: [ws(6)] } },
    );
    expect([...state.workspaces.keys()]).toEqual([id]);
    expect(state.workspaces.get(id)?.desired_state).toBe("RUNNING");
  });

  test("a snapshot after a database restore may go back for what was never answered newer", () => {
    const state = run(
      { type: "snapshot", data: { workspaces: [ws(3)] } },
      { type: "snapshot", data: { workspaces: [ws(4, { name: "renamed" })] } },
    );
    expect(state.workspaces.get(id)?.name).toBe("renamed");
  });
});

describe("deletion", () => {
  test("takes the workspace out, and its later update puts it into the trash", () => {
    const gone = run(
      { type: "workspace_updated", data: ws(3) },
      { type: "workspace_deleted", data: { id, version: 4 } },
    );
    expect(gone.workspaces.has(id)).toBe(false);
    const back = reduceLive(gone, { type: "workspace_updated", data: ws(4, { deleted_at: "2026-11-15T10:00:00Z" }) });
    expect(back.workspaces.get(id)?.deleted_at).not.toBeNull();
  });

  test("a late update from before the deletion does not bring it back", () => {
    const state = run(
      { type: "workspace_updated", data: ws(3) },
      { type: "workspace_deleted", data: { id, version: 4 } },
      { type: "workspace_updated", data: ws(3) },
    );
    expect(state.workspaces.has(id)).toBe(false);
  });

  test("does not take out what was undeleted meanwhile", () => {
    const state = run(
      { type: "workspace_updated", data: ws(6) },
      { type: "workspace_deleted", data: { id, version: 4 } },
    );
    expect(state.workspaces.has(id)).toBe(true);
  });
});

describe("all of a workspace", () => {
  const told = (version: number, over = {}): LiveAction => ({ type: "answered", workspace: ws(version, over) });

  test("is known from answers, and neither an event nor an older answer takes it back", () => {
    const memo = "from the answer";
    const state = run(told(3, { memo }), { type: "workspace_updated", data: ws(4) }, told(2, { memo: "older" }));
    expect(state.whole.get(id)).toMatchObject({ version: 3, memo });
    expect(state.workspaces.get(id)?.version).toBe(4);
  });

  test("of somebody else does not get into the list, and one's own does before its event", () => {
    const others = run(told(1, { open_url: null }));
    expect(others.whole.has(id)).toBe(true);
    expect(others.workspaces.has(id)).toBe(false);
    expect(run(told(1)).workspaces.has(id)).toBe(true);
  });

  test("of one's own in the trash stays where it is in the list", () => {
    const deleted = { open_url: null, deleted_at: "2026-11-15T10:00:00Z" };
    const state = run({ type: "workspace_updated", data: ws(1) }, told(2, deleted));
    expect(state.workspaces.get(id)?.deleted_at).not.toBeNull();
  });

  test("is kept of the last few only", () => {
    const ids = Array.from({ length: 30 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`);
    const state = run(...ids.map((one) => told(1, { id: one })), told(2, { id: ids[15] }));
    expect(state.whole.size).toBe(20);
    expect([...state.whole.keys()].at(-1)).toBe(ids[15]);
    expect(state.whole.has(ids[9] ?? "")).toBe(false);
  });
});

test("what the wire leaves out of a row is null again", () => {
  const { id: rowId, name, phase, desired_state, operation, created_at, version } = ws(1);
  const row = {
    id: rowId,
    name,
    phase,
    desired_state,
    operation,
    created_at,
    version,
    safety: { level: "empty" as const },
  };
  expect(run({ type: "workspace_updated", data: row }).workspaces.get(id)).toMatchObject({
    ...{ description: null, progress: null, error: null, deleted_at: null, undelete_until: null, purge: false },
    ...{ home_bytes: null, last_access_at: null, owner: null, safety: { level: "empty", last_verified_archive: null } },
    next: { kind: "nothing", operation: null, at: null },
  });
});

test("progress is shown only for the operation it belongs to", () => {
  const at = (version: number): LiveAction => ({
    type: "workspace_progress",
    data: { id, version, progress: progress(40) },
  });
  const busy: LiveAction = { type: "workspace_updated", data: ws(5, { operation: "ARCHIVING" }) };
  expect(run(busy, at(5)).workspaces.get(id)?.progress?.bytes_done).toBe(40);
  expect(run(busy, at(4)).workspaces.get(id)?.progress).toBeNull();
  expect(run({ type: "workspace_updated", data: ws(6) }, at(6)).workspaces.get(id)?.progress).toBeNull();
});

test("a loss keeps the time of the first one until the connection is back", () => {
  const lost = run({ type: "connected" }, { type: "disconnected", at: 100 }, { type: "disconnected", at: 200 });
  expect(lost.connection).toEqual({ status: "lost", since: 100 });
  expect(reduceLive(lost, { type: "connected" }).connection).toEqual({ status: "live" });
});

test("what was asked is marked until it settles, and changes nothing else", () => {
  const asked = run({ type: "workspace_updated", data: ws(1) }, { type: "asked", id, label: "Starting" });
  expect(asked.pending.get(id)?.label).toBe("Starting");
  expect(asked.workspaces.get(id)?.phase).toBe("STANDBY");
  expect(reduceLive(asked, { type: "settled", id }).pending.has(id)).toBe(false);
});
