import { canonical, keyOf } from "./canonical.ts";
import { clockMoves } from "./clock.ts";
import { collectorMoves } from "./collectors.ts";
import { coordinatorMoves } from "./coordinator.ts";
import { driverMoves } from "./driver.ts";
import type { System } from "./explore.ts";
import { faultMoves } from "./faults.ts";
import { findViolation, type Tested } from "./invariants.ts";
import { jobMoves } from "./jobs.ts";
import { isHelpful, type Move, Scene } from "./moves.ts";
import { peopleMoves } from "./people.ts";
import type { Bounds, Rules } from "./rules.ts";
import { initialState, isDue, type State } from "./state.ts";

/** The whole protocol as a system the explorer can walk: every actor says what it could do next. */
export function protocol(rules: Rules, bounds: Bounds, tested: Tested): System<State> {
  return {
    initial: () => initialState(bounds.left, bounds.repository),
    moves: (s) => allMoves(rules, bounds, s),
    canonical: (s) => canonical(rules, s),
    key: keyOf,
    violation: (s) => findViolation(rules, bounds, s, tested),
    settled: isSettled,
    helpful: isHelpful,
  };
}

function allMoves(rules: Rules, bounds: Bounds, s: State): readonly Move[] {
  const scene = new Scene(rules, bounds, s);
  peopleMoves(scene);
  clockMoves(scene);
  faultMoves(scene);
  jobMoves(scene);
  driverMoves(scene);
  coordinatorMoves(scene);
  collectorMoves(scene);
  return scene.moves;
}

/** Nothing is in flight and the world is what the row asks for, with nothing left over. */
function isSettled(s: State): boolean {
  const { row, volumes, objects, container } = s;
  const busy = s.leader !== null || s.zombies.length > 0 || s.jobs.length > 0;
  const deciding = s.gc !== null || s.reaping !== 0 || s.ttl !== null || s.routed !== 0;
  if (busy || deciding || row.operation !== "NONE" || row.restart) return false;
  if (row.deleted) return container === null && row.volume === 0 && volumes.length + objects.length === 0;
  if (row.error) return false;
  const onlyVolume = row.volume !== 0 && volumes.length === 1;
  switch (row.desired) {
    case "RUNNING":
      return onlyVolume && container !== null && container.instance === row.endpoint && !isDue(row);
    case "STANDBY":
      return onlyVolume && container === null;
    case "ARCHIVED":
      return container === null && volumes.length === 0 && row.archive !== 0 && objects.length === 1;
    case "PENDING":
      return container === null && volumes.length === 0 && row.archive === 0 && objects.length === 0;
    case "DELETED":
      return false;
  }
}
