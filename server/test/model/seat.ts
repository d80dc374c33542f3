import { type Rules, volumeName } from "./rules.ts";
import type { Driver, Operation, Row, Stage, State } from "./state.ts";

const FIRST_STAGE: Record<Operation, Stage> = {
  NONE: "commit",
  PROVISIONING: "create",
  RESTORING: "launch",
  PREPARING: "launch",
  STARTING: "run",
  STOPPING: "remove",
  ARCHIVING: "launch",
  CREATE_EMPTY_ARCHIVE: "upload",
  DISCARDING: "commit",
  DELETING: "commit",
};

/** A driver for the operation in the row. It keeps only what it will use, so that equal futures are equal states. */
export function begin(rules: Rules, row: Row): Driver {
  const { operation, attempt } = row;
  const target = operation === "RESTORING" || operation === "PROVISIONING" ? volumeName(rules, attempt) : row.volume;
  const needsVolume = operation !== "STOPPING" && operation !== "DISCARDING" && operation !== "CREATE_EMPTY_ARCHIVE";
  return {
    operation,
    stage: operation === "DELETING" && !rules.deleteRetires ? "drop" : FIRST_STAGE[operation],
    attempt,
    volume: needsVolume ? target : 0,
    archive: operation === "RESTORING" ? row.archive : 0,
    instance: 0,
    version: operation === "PREPARING" ? row.wanted : 0,
    outcome: "none",
    current: true,
  };
}

/** Whose step it is: the leader's own driver, or a zombie that goes on although its leader was superseded. */
export interface Seat {
  readonly driver: Driver;
  readonly name: string;
  readonly leads: boolean;
  readonly set: (t: State, driver: Driver | null) => void;
}

/** The driver goes on at another stage, with what it has learned. */
export const goTo = (t: State, seat: Seat, stage: Stage, more: Partial<Driver> = {}): void =>
  seat.set(t, { ...seat.driver, ...more, stage });

/** Another leader reigns: what runs is not its own yet, and whoever drove before is deposed. */
export function newEpoch(t: State): void {
  t.row.owned = t.row.operation === "NONE";
  t.zombies = t.zombies.map((z) => ({ ...z, current: false }));
}
