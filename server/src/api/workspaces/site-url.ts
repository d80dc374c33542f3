import { nameInHosts } from "#core/rows/address.ts";
import type { Workspace } from "#core/rows/workspace.ts";

/** How workspaces are reached. */
export interface Sites {
  /** With `{id}` for what stands for one of them. */
  readonly workspaceBaseUrl: string;
  readonly unsafeSingleOrigin: boolean;
}

/** Where a workspace is served, or a port of it; null in single-origin mode, where that is a path of the dashboard's. */
export function siteUrl(
  { workspaceBaseUrl, unsafeSingleOrigin }: Sites,
  row: Pick<Workspace, "id" | "address">,
  port: number | null,
): string | null {
  if (unsafeSingleOrigin) return null;
  const name = nameInHosts(row);
  return new URL(workspaceBaseUrl.replace("{id}", port === null ? name : `${port}--${name}`)).href;
}
