import type { ListedColumns } from "#core/rows/workspace.ts";

type SetupColumns = Pick<ListedColumns, "source" | "setupWanted" | "setupSkipped" | "homeCtx">;

/** Whether its repository has yet to be got into the home, before anybody works in it. */
export const setupDue = ({ source, setupWanted, setupSkipped, homeCtx }: SetupColumns): boolean =>
  source !== null && setupWanted > Math.max(setupSkipped, homeCtx.setup?.version ?? 0);
