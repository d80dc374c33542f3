import type { Reason } from "#core/rows/meaning.ts";
import type { ContainerSeen, Observation } from "#core/rows/observation.ts";
import type { ContainerEnd, Ms, Workspace } from "#core/rows/workspace.ts";
import { isRecorded } from "./judge.ts";

/** The engine wanted the place back, or lost it. The program did nothing wrong, and its home is where it was. */
const TAKEN_AWAY: readonly string[] = ["evicted", "preempted", "drained", "node_gone"];

const recordedIn = (row: Workspace, { containers }: Observation): ContainerSeen | undefined =>
  containers.known ? containers.value.find((container) => isRecorded(row, container)) : undefined;

/**
 * Why a workspace that should run goes to standby instead of being started again. Nobody knows whether somebody still
 * needs it, and a cluster that is being emptied, or has too little of something, is not helped by starting all of it
 * anew at once: the next visit starts it, where there is room then.
 */
export function takenAway(row: Workspace, observation: Observation): Reason | null {
  if (row.operation !== "NONE" || row.deletedAt !== null || row.desiredState !== "RUNNING") return null;
  const ended = recordedIn(row, observation)?.ended;
  return ended !== undefined && TAKEN_AWAY.includes(ended.code) ? ended : null;
}

/** What to remember about the end of the container, if that was not known before. */
export function endSeen(row: Workspace, observation: Observation, now: Ms): ContainerEnd | null {
  const container = recordedIn(row, observation);
  if (container === undefined) return null;
  const { code, fields } = whyOf(row, container) ?? { code: null };
  if (code === null || row.homeCtx.ended?.code === code) return null;
  const { message, ...others } = fields ?? {};
  return { code, fields: others, message: typeof message === "string" ? message : "", at: now };
}

/** A program that ends after somebody asked for that is no news. */
function whyOf(row: Workspace, { ended, state, exitCode }: ContainerSeen): Reason | null {
  if (ended !== undefined) return ended;
  if (state !== "exited" || row.operation !== "NONE" || row.desiredState !== "RUNNING") return null;
  return { code: "exited", fields: { exit_code: exitCode } };
}
