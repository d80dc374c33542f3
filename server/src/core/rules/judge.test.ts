import { describe, expect, test } from "vitest";
import { type ContainerSeen, type Observation, seen, unseen } from "#core/rows/observation.ts";
import { AT_REST, ATTEMPT, conditions, NOW, workspace } from "../../../test/fixtures/workspace.ts";
import { isLeftover, judge, MISSING_CONFIRM_MS } from "./judge.ts";

const container = (overrides: Partial<ContainerSeen> = {}): ContainerSeen => ({
  id: "c1",
  workspaceId: workspace().id,
  volume: AT_REST.RUNNING().homeVolume,
  attempt: ATTEMPT,
  state: "running",
  address: null,
  exitCode: null,
  ...overrides,
});

const look = (overrides: Partial<Observation> = {}): Observation => ({
  at: NOW,
  volume: seen(true),
  containers: seen([]),
  archive: null,
  ...overrides,
});

describe("judge", () => {
  test("the recorded container makes it RUNNING; any other does not, but is present", () => {
    const row = AT_REST.RUNNING();
    expect(judge(row, look({ containers: seen([container()]) })).phase).toBe("RUNNING");
    const stranger = judge(row, look({ containers: seen([container({ id: "c2" })]) }));
    expect(stranger.phase).toBe("STANDBY");
    expect(stranger.conditions["infra.container_present"]?.status).toBe(true);
  });

  test("an engine that does not answer changes no status and no phase", () => {
    const row = AT_REST.RUNNING();
    const verdict = judge(row, look({ volume: unseen("timeout"), containers: unseen("timeout") }));
    expect(verdict.phase).toBe("RUNNING");
    expect(verdict.conditions["infra.container_ready"]).toMatchObject({ status: true, unknownSince: NOW });
    const later = judge(
      { ...row, conditions: verdict.conditions },
      look({ at: NOW + 5, volume: unseen("again"), containers: unseen("again") }),
    );
    expect(later.conditions["storage.volume_ready"]?.unknownSince).toBe(NOW);
  });

  test("a home that is not found once is in doubt, and lost only when it is not found again later", () => {
    const row = AT_REST.STANDBY();
    const once = judge(row, look({ volume: seen(false) }));
    expect(once.phase).toBe("STANDBY");
    expect(once.seenError).toBeNull();
    const soon = judge(
      { ...row, conditions: once.conditions },
      look({ at: NOW + MISSING_CONFIRM_MS - 1, volume: seen(false) }),
    );
    expect(soon.seenError).toBeNull();
    const later = judge(
      { ...row, conditions: soon.conditions },
      look({ at: NOW + MISSING_CONFIRM_MS, volume: seen(false) }),
    );
    expect(later.seenError?.reason).toBe("DataLost");
    expect(later.phase).toBe("ERROR");
    const back = judge({ ...row, conditions: later.conditions }, look({ at: NOW + 60_000 }));
    expect(back.seenError).toBeNull();
    expect(back.phase).toBe("STANDBY");
  });

  test("a long outage is not half of a loss", () => {
    const row = AT_REST.STANDBY();
    const outage = judge(row, look({ at: NOW - 3_600_000, volume: unseen("down") }));
    const absent = judge({ ...row, conditions: outage.conditions }, look({ volume: seen(false) }));
    expect(absent.seenError).toBeNull();
  });

  test("a container on a lost volume is told before the loss", () => {
    const row = AT_REST.RUNNING();
    const once = judge(row, look({ volume: seen(false), containers: seen([container()]) }));
    const twice = judge(
      { ...row, conditions: once.conditions },
      look({ at: NOW + 20_000, volume: seen(false), containers: seen([container()]) }),
    );
    expect(twice.seenError?.reason).toBe("ContainerWithoutVolume");
  });

  test("an unreadable archive matters only while it is the home", () => {
    const missing = seen({
      readable: false,
      reason: "ArchiveNotFound",
      fields: { failure: "archive_missing" },
    } as const);
    expect(judge(AT_REST.ARCHIVED(), look({ archive: missing })).seenError?.reason).toBe("ArchiveAccessError");
    const volumeIsHome = { ...AT_REST.STANDBY(), archiveKey: AT_REST.ARCHIVED().archiveKey };
    expect(judge(volumeIsHome, look({ archive: missing })).phase).toBe("STANDBY");
    expect(judge(AT_REST.ARCHIVED(), look({ archive: unseen("503") })).phase).toBe("ARCHIVED");
  });

  test("an operation under way is never beside an error", () => {
    const row = {
      ...AT_REST.STANDBY(),
      operation: "STARTING",
      conditions: conditions({ "storage.volume_ready": "true" }),
    } as const;
    const once = judge(row, look({ at: NOW - 60_000, volume: seen(false) }));
    expect(judge({ ...row, conditions: once.conditions }, look({ volume: seen(false) })).phase).not.toBe("ERROR");
  });

  test("the time of a condition moves only when it flips, and foreign conditions are carried along", () => {
    const row = AT_REST.STANDBY();
    const foreign = {
      "gpu.ready": conditions({ "policy.healthy": "true" })["policy.healthy"],
    } as typeof row.conditions;
    const verdict = judge({ ...row, conditions: { ...row.conditions, ...foreign } }, look());
    expect(verdict.conditions["storage.volume_ready"]?.lastTransitionTime).toBe(NOW - 60_000);
    expect(verdict.conditions["gpu.ready"]).toEqual(foreign["gpu.ready"]);
  });

  test("what was never judged is rebuilt from what is seen", () => {
    const row = { ...AT_REST.RUNNING(), conditions: {}, phase: "PENDING" } as const;
    expect(judge(row, look({ containers: seen([container()]) })).phase).toBe("RUNNING");
  });
});

describe("isLeftover", () => {
  test("spares the recorded instance and the attempt that is being started, and nothing else", () => {
    const row = AT_REST.RUNNING();
    expect(isLeftover(row, container())).toBe(false);
    expect(isLeftover(row, container({ attempt: "other" }))).toBe(true);
    const starting = { ...row, endpoint: null, operation: "STARTING", opId: ATTEMPT } as const;
    expect(isLeftover(starting, container({ id: "c9" }))).toBe(false);
    expect(isLeftover({ ...starting, operation: "STOPPING" }, container({ id: "c9" }))).toBe(true);
  });
});
