import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConditionKey, type Tri, tri } from "#core/rows/condition.ts";
import {
  DESIRED_STATES,
  LEVELS,
  type LevelName,
  OPERATION_NAMES,
  PHASES,
  type Workspace,
} from "#core/rows/workspace.ts";
import { AT_REST, condition, KEY, NOW, VOLUME, workspace } from "../../../test/fixtures/workspace.ts";
import { OPERATIONS } from "./operations.ts";
import { phaseOf } from "./phase.ts";
import { ARCHIVE_FRESH_MS, edgeTowards, isSettled, plan } from "./plan.ts";

const TRI: readonly Tri[] = ["true", "false", "unknown"];
const EDGES = Object.values(OPERATIONS).flatMap(({ edge }) => (edge === null ? [] : [edge]));
const LADDER = Object.keys(LEVELS) as LevelName[];
const DECIDING: readonly ConditionKey[] = [
  "storage.volume_ready",
  "storage.archive_ready",
  "infra.container_ready",
  "infra.container_present",
];

/** Every combination of phase, request, operation, conditions and pointers, as the row says it, possible or not. */
function* everyRow(): Generator<Workspace> {
  for (const phase of PHASES)
    for (const desiredState of DESIRED_STATES)
      for (const operation of ["NONE", ...OPERATION_NAMES] as const)
        for (const volume of TRI)
          for (const archive of TRI)
            for (const ready of TRI)
              for (const present of TRI)
                for (const [homeVolume, archiveKey] of [
                  [null, null],
                  [VOLUME, null],
                  [null, KEY],
                  [VOLUME, KEY],
                ] as const)
                  yield workspace({
                    phase,
                    desiredState,
                    operation,
                    homeVolume,
                    archiveKey,
                    deletedAt: phase === "DELETING" || phase === "DELETED" ? NOW - 1 : null,
                    conditions: {
                      "storage.volume_ready": condition(volume),
                      "storage.archive_ready": condition(archive),
                      "infra.container_ready": condition(ready),
                      "infra.container_present": condition(present),
                    },
                  });
}

describe("plan, over every combination of phase, requested level, operation, conditions and pointers", () => {
  test("keeps its promises", () => {
    let seen = 0;
    for (const row of everyRow()) {
      seen++;
      const step = plan(row, NOW);
      if (row.operation !== "NONE") expect(step.kind).toBe("rest");
      if (row.phase === "ERROR" && row.deletedAt === null) expect(step.kind).toBe("rest");
      if (step.kind !== "operate") continue;
      const blind = DECIDING.filter((key) => tri(row.conditions, key) === "unknown");
      const { operation } = step;
      // Nothing creative or destructive from unknown.
      if (operation === "STOPPING" || operation === "DELETING") {
        expect(blind).not.toContain("infra.container_present");
      } else {
        expect(blind.filter((key) => key !== "storage.archive_ready")).toEqual([]);
      }
      if (operation === "RESTORING") {
        expect(blind).toEqual([]);
        expect(row.homeVolume).toBeNull();
        expect(row.archiveKey).not.toBeNull();
      }
      // A known home is never built over.
      if (operation === "PROVISIONING" || operation === "CREATE_EMPTY_ARCHIVE") {
        expect([row.homeVolume, row.archiveKey]).toEqual([null, null]);
      }
      // Nobody archives or lets go of a home that a container may still write to.
      if (operation === "ARCHIVING" || operation === "DELETING") {
        expect(tri(row.conditions, "infra.container_present")).toBe("false");
      }
      if (operation === "DELETING") expect(row.deletedAt).not.toBeNull();
    }
    expect(seen).toBe(PHASES.length * DESIRED_STATES.length * (OPERATION_NAMES.length + 1) * 3 ** 4 * 4);
  });
});

describe("the ladder", () => {
  test("is climbed one adjacent step at a time, without ever turning round", () => {
    for (const from of LADDER) {
      for (const desired of LADDER) {
        const path: LevelName[] = [from];
        let here: LevelName = from;
        while (here !== desired) {
          const operation = edgeTowards(AT_REST[here](), here, desired);
          const edge = operation === null ? null : OPERATIONS[operation].edge;
          if (edge === null) throw new Error(`no way from ${here} to ${desired}`);
          here = edge.to;
          path.push(here);
        }
        const levels = path.map((name) => LEVELS[name]);
        const sorted = [...levels].sort((a, b) => (LEVELS[from] <= LEVELS[desired] ? a - b : b - a));
        expect(levels, `${from} to ${desired}`).toEqual(sorted);
        // The only step over a level is the one from nothing to a home, which has no archive to go through.
        for (const [at, name] of path.slice(1).entries()) {
          const skipped = LADDER.filter(
            (level) =>
              LEVELS[level] > Math.min(LEVELS[path[at] ?? name], LEVELS[name]) &&
              LEVELS[level] < Math.max(LEVELS[path[at] ?? name], LEVELS[name]),
          );
          expect(skipped).toEqual(path[at] === "PENDING" && name === "STANDBY" ? ["ARCHIVED"] : []);
        }
      }
    }
  });

  test("has an edge up and an edge down at every level", () => {
    for (const level of LADDER.filter((name) => name !== "RUNNING")) {
      expect(EDGES.some((edge) => edge.from === level && LEVELS[edge.to] > LEVELS[level])).toBe(true);
      expect(EDGES.some((edge) => edge.to === level && LEVELS[edge.from] > LEVELS[level])).toBe(true);
    }
  });
});

describe("plan, in particular", () => {
  test("an archive's answer that is too old is looked for again before a home is rebuilt from it", () => {
    const row = { ...AT_REST.ARCHIVED(), desiredState: "RUNNING" } as const;
    expect(plan(row, NOW)).toMatchObject({ kind: "operate", operation: "RESTORING" });
    expect(plan(row, NOW + ARCHIVE_FRESH_MS)).toMatchObject({ kind: "look", at: ["storage.archive_ready"] });
  });

  test("waits out a backoff, but not for a newer request", () => {
    const waiting = {
      ...AT_REST.STANDBY(),
      desiredState: "RUNNING",
      desiredVersion: 4,
      nextAttemptAt: NOW + 5_000,
    } as const;
    const failed = { ...waiting, homeCtx: { ...waiting.homeCtx, failedRequest: 4 } };
    expect(plan(failed, NOW)).toMatchObject({ kind: "wait", until: NOW + 5_000 });
    expect(plan({ ...failed, desiredVersion: 5 }, NOW)).toMatchObject({ kind: "operate", operation: "STARTING" });
    expect(plan(failed, NOW + 5_000)).toMatchObject({ kind: "operate" });
  });

  test("restarts a running workspace when asked, and only then", () => {
    const row = { ...AT_REST.RUNNING(), request: { version: 1, action: { kind: "restart" } } } as const;
    expect(plan(row, NOW)).toMatchObject({ kind: "operate", operation: "STOPPING" });
    expect(plan({ ...row, requestDone: 1 }, NOW).kind).toBe("rest");
  });

  test("does not start again what keeps ending by itself", () => {
    const row = { ...AT_REST.STANDBY(), desiredState: "RUNNING" } as const;
    const looping = { ...row, homeCtx: { ...row.homeCtx, exits: [NOW - 3_000, NOW - 2_000, NOW - 1_000] } };
    expect(plan(looping, NOW).kind).toBe("rest");
    expect(plan(looping, NOW + 700_000)).toMatchObject({ kind: "operate", operation: "STARTING" });
  });

  test("a row at rest is settled, and one that is requested elsewhere is not", () => {
    for (const level of LADDER) {
      expect(isSettled(AT_REST[level]())).toBe(true);
      for (const other of LADDER.filter((name) => name !== level)) {
        expect(isSettled({ ...AT_REST[level](), desiredState: other })).toBe(false);
      }
    }
  });
});

describe("phaseOf", () => {
  const anyCondition = fc.record({
    status: fc.boolean(),
    reason: fc.string(),
    message: fc.string(),
    lastTransitionTime: fc.nat(),
  });

  test("is total and memoryless: any conditions, also none and unknown keys, give one phase, and always the same", () => {
    const anyFacts = fc.record({
      conditions: fc.dictionary(fc.oneof(fc.constantFrom(...DECIDING, "policy.healthy"), fc.string()), anyCondition),
      deleted: fc.boolean(),
      homeVolume: fc.option(fc.string()),
      operation: fc.constantFrom("NONE" as const, ...OPERATION_NAMES),
    });
    fc.assert(
      fc.property(anyFacts, (given) => {
        const phase = phaseOf(given);
        expect(PHASES).toContain(phase);
        expect(phaseOf(structuredClone(given))).toBe(phase);
        if (given.deleted) expect(["DELETING", "DELETED"]).toContain(phase);
        else if (given.conditions["policy.healthy"]?.status === false) expect(phase).toBe("ERROR");
      }),
    );
  });

  test("an empty row is PENDING, and a volume beats an archive", () => {
    expect(phaseOf({ conditions: {}, deleted: false, homeVolume: null, operation: "NONE" })).toBe("PENDING");
    const both = { "storage.volume_ready": condition("true"), "storage.archive_ready": condition("true") };
    expect(phaseOf({ conditions: both, deleted: false, homeVolume: VOLUME, operation: "NONE" })).toBe("STANDBY");
  });
});
