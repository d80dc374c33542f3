import { OperationFailure } from "#ports/failure.ts";
import type { StartSpec } from "#ports/runtime.ts";
import type { Volumes } from "#ports/volumes.ts";

/** Rejects unless the volume is there and was finished as a home of this workspace. */
export async function requireFinishedHome(
  volumes: Pick<Volumes, "inspect" | "identity">,
  { volume, workspaceId }: Pick<StartSpec, "volume" | "workspaceId">,
): Promise<void> {
  if ((await volumes.inspect(volume)) === null) {
    throw new OperationFailure("ActionFailed", `Volume ${volume} is not there.`);
  }
  const identity = await volumes.identity(volume);
  if (identity?.workspaceId !== workspaceId) throw notFinished({ volume });
}

export const notFinished = ({ volume }: Pick<StartSpec, "volume">): OperationFailure =>
  new OperationFailure("ActionFailed", `Volume ${volume} is not a finished home of this workspace.`);
