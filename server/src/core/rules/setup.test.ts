import { describe, expect, it } from "vitest";
import type { HomeSetup } from "#core/rows/setup.ts";
import { EMPTY_HOME_CONTEXT, type Workspace } from "#core/rows/workspace.ts";
import {
  ARCHIVE_FACTS,
  AT_REST,
  ATTEMPT,
  NOW,
  OLDER_ATTEMPT,
  SOURCE,
  VOLUME,
  workspace,
} from "../../../test/fixtures/workspace.ts";
import { commit } from "./completion.ts";
import { plan } from "./plan.ts";
import { setupDue } from "./setup.ts";

const answered = (version: number): Workspace["homeCtx"] => ({ ...EMPTY_HOME_CONTEXT, setup: setup(version) });

const setup = (version: number): HomeSetup => ({
  ...{ version, state: "ready", folder: "project", commit: "abc", branch: "main", failure: null, notices: [] },
  ...{ at: NOW, tookMs: 1 },
});

describe("a repository is due", () => {
  it.each([
    ["never asked for", { source: null }, false],
    ["asked for", { source: SOURCE, setupWanted: 1 }, true],
    ["in this home", { source: SOURCE, setupWanted: 1, homeCtx: answered(1) }, false],
    ["asked for again", { source: SOURCE, setupWanted: 2, homeCtx: answered(1) }, true],
    ["not to be waited for", { source: SOURCE, setupWanted: 2, setupSkipped: 2, homeCtx: answered(1) }, false],
    ["asked for after that", { source: SOURCE, setupWanted: 3, setupSkipped: 2 }, true],
  ] as const)("%s", (_, row, due) => {
    expect(setupDue(workspace(row))).toBe(due);
  });
});

const WANTED = { source: SOURCE, setupWanted: 1, desiredState: "RUNNING" } as const;

describe("what is planned for it", () => {
  const planned = (row: Workspace): unknown => {
    const next = plan(row, NOW);
    return next.kind === "operate" ? next.operation : next;
  };

  it("comes before a start and nothing else", () => {
    const standby = AT_REST.STANDBY();
    expect(planned({ ...standby, ...WANTED })).toBe("PREPARING");
    expect(planned({ ...standby, ...WANTED, homeCtx: answered(1) })).toBe("STARTING");
    expect(planned({ ...standby, ...WANTED, desiredState: "ARCHIVED" })).toBe("ARCHIVING");
    expect(planned({ ...AT_REST.PENDING(), ...WANTED })).toBe("PROVISIONING");
  });

  it("is nothing for a workspace that runs", () => {
    expect(planned({ ...AT_REST.RUNNING(), ...WANTED })).toMatchObject({ kind: "rest", why: "as_requested" });
  });
});

describe("what is known of it", () => {
  const EPOCH = 5;
  const facts = (row: Workspace) => ({ row, archives: [], volumes: [], now: NOW });
  const input = { opId: ATTEMPT, epoch: EPOCH, keepVersions: 1, trashRetentionMs: 1 };
  const under = (operation: "PREPARING" | "PROVISIONING" | "RESTORING"): Partial<Workspace> => ({
    ...WANTED,
    ...{ operation, opId: ATTEMPT, opEpoch: EPOCH, opStartedAt: NOW - 5 },
  });

  it("is committed, and ends that it is due", () => {
    const row = { ...AT_REST.STANDBY(), ...under("PREPARING") };
    const made = { kind: "note", homeCtx: { setup: setup(1) } } as const;
    const after = { ...row, ...commit(facts(row), { ...input, operation: "PREPARING", made })?.patch };
    expect(after).toMatchObject({ operation: "NONE", phase: "STANDBY", homeVolume: row.homeVolume });
    expect(setupDue(after)).toBe(false);
  });

  it("is forgotten with an archive of nothing", () => {
    const row = {
      ...AT_REST.PENDING(),
      ...under("PROVISIONING"),
      operation: "CREATE_EMPTY_ARCHIVE" as const,
      homeCtx: answered(1),
    };
    const made = { kind: "archive", volume: null, archive: ARCHIVE_FACTS } as const;
    const after = { ...row, ...commit(facts(row), { ...input, operation: "CREATE_EMPTY_ARCHIVE", made })?.patch };
    expect(after.archiveKey).not.toBeNull();
    expect(setupDue(after)).toBe(true);
  });

  it("is forgotten with a new, empty home, and stays with one from an archive", () => {
    const row = { ...AT_REST.PENDING(), ...under("PROVISIONING"), homeCtx: answered(1) };
    const empty = { kind: "home", volume: VOLUME, from: null } as const;
    const fresh = { ...row, ...commit(facts(row), { ...input, operation: "PROVISIONING", made: empty })?.patch };
    expect(setupDue(fresh)).toBe(true);
    const archived = { ...AT_REST.ARCHIVED(), ...under("RESTORING"), homeCtx: answered(1) };
    const restored = { kind: "home", volume: VOLUME, from: `${archived.id}/${OLDER_ATTEMPT}/home.tar.zst` } as const;
    const same = {
      ...archived,
      ...commit(facts(archived), { ...input, operation: "RESTORING", made: restored })?.patch,
    };
    expect(setupDue(same)).toBe(false);
  });
});
