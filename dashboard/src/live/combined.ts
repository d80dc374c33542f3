import type { Listed, Workspace } from "@codehub/contract";

/**
 * The newest that is known of a workspace: its row hears of a change first and says at once what it says; the rest of the
 * whole form follows with the answer that the change makes the page ask for.
 */
export function combined(whole: Workspace, row: Listed | undefined): Workspace {
  if (row === undefined || row.version < whole.version) return whole;
  if (row.version === whole.version) return { ...whole, progress: row.progress };
  const { name, description, phase, desired_state, operation, progress, home_bytes, version } = row;
  const { last_access_at, deleted_at, purge, undelete_until } = row;
  return {
    ...whole,
    ...{ name, description, phase, desired_state, operation, progress, home_bytes, version },
    ...{ last_access_at, deleted_at, purge, undelete_until },
  };
}

/** Whether there is more to ask for than is known. */
export const isBehind = (whole: Workspace | undefined, row: Listed | undefined): boolean =>
  whole === undefined || (row !== undefined && whole.version < row.version);
