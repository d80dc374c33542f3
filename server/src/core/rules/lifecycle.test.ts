import { describe, expect, test } from "vitest";
import type { DesiredState, Workspace } from "#core/rows/workspace.ts";
import { docsTable } from "../../../test/fixtures/docs-table.ts";
import { AT_REST, conditions, NOW, workspace } from "../../../test/fixtures/workspace.ts";
import { plan } from "./plan.ts";

const table = (marker: string): Record<string, string>[] => docsTable("architecture/workspace-lifecycle.md", marker);

function operationOf(row: Workspace): string {
  const step = plan(row, NOW);
  return step.kind === "operate" ? step.operation : "–";
}

const PHASES: Record<string, () => Workspace> = {
  ...AT_REST,
  "STANDBY with a container": () => {
    const row = AT_REST.STANDBY();
    return { ...row, conditions: { ...row.conditions, ...conditions({ "infra.container_present": "true" }) } };
  },
  ERROR: () => workspace({ phase: "ERROR" }),
};

describe("the lifecycle page", () => {
  const rows = table("lifecycle-table");

  test("has a row for every phase on the ladder", () => {
    expect(rows.map((row) => row["phase"])).toEqual([
      "PENDING",
      "ARCHIVED",
      "STANDBY",
      "STANDBY with a container",
      "RUNNING",
      "ERROR",
    ]);
  });

  for (const row of rows) {
    for (const desired of ["PENDING", "ARCHIVED", "STANDBY", "RUNNING"] as const satisfies readonly DesiredState[]) {
      test(`${row["phase"]} → ${desired}`, () => {
        const make = PHASES[row["phase"] ?? ""];
        expect(make).toBeDefined();
        expect(operationOf({ ...(make?.() ?? workspace()), desiredState: desired })).toBe(row[`desired ${desired}`]);
      });
    }
  }
});

describe("the deletion page", () => {
  const left: Record<string, () => Workspace> = {
    "container and volume": AT_REST.RUNNING,
    volume: AT_REST.STANDBY,
    "volume that is gone": () => {
      const row = AT_REST.STANDBY();
      return { ...row, conditions: { ...row.conditions, ...conditions({ "storage.volume_ready": "false" }) } };
    },
    archive: AT_REST.ARCHIVED,
    nothing: AT_REST.PENDING,
  };
  const deleted = { desiredState: "DELETED", deletedAt: NOW - 1_000, phase: "DELETING" } as const;

  for (const row of table("deletion-table")) {
    test(`${row["what is left"]}`, () => {
      const rest = left[row["what is left"] ?? ""]?.() ?? workspace();
      expect(operationOf({ ...rest, ...deleted })).toBe(row["deleted"]);
      const over = row["purged, or the time for undo is over"];
      expect(operationOf({ ...rest, ...deleted, purge: true })).toBe(over);
      expect(operationOf({ ...rest, ...deleted, expiredAt: NOW })).toBe(over);
    });
  }

  test("is not stopped by a stored error", () => {
    const info = {
      reason: "Timeout",
      message: "",
      operation: "STOPPING",
      isTerminal: true,
      attempts: 1,
      elapsedMs: null,
      previousPhase: "RUNNING",
      occurredAt: NOW,
    } as const;
    expect(operationOf({ ...AT_REST.STANDBY(), ...deleted, errorReason: "Timeout", errorInfo: info })).toBe(
      "ARCHIVING",
    );
  });
});
