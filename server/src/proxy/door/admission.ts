import { guestSight, type PortShare, type SharingBound } from "#core/requests/sharing.ts";
import { nameInHosts } from "#core/rows/address.ts";
import type { Ms, Workspace } from "#core/rows/workspace.ts";
import { routableEndpoint } from "./visit.ts";

/**
 * As whom something was let in, for as long as it is under way: the owner, with a session of this origin, or a guest of a
 * port that is shared, who has one only where the share asks for it.
 */
export interface Admission {
  readonly workspaceId: string;
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** The port that a guest is let in to, at this address of the workspace; left out for the owner. */
  readonly guestAt?: { readonly name: string; readonly port: number };
}

export const isGuest = ({ guestAt }: Admission): boolean => guestAt !== undefined;

/** What is known of a workspace when those who are in it are looked at again. */
export interface Facts {
  readonly row: Workspace | undefined;
  readonly shares: readonly PortShare[];
  readonly bound: SharingBound;
  readonly now: Ms;
}

/** Whether somebody whose session is alive, if one is needed, may stay connected to what the row says now. */
export function mayStay({ row, shares, bound, now }: Facts, { userId, sessionId, guestAt }: Admission): boolean {
  if (row === undefined || row.deletedAt !== null) return false;
  if (guestAt === undefined) return row.ownerId === userId;
  if (nameInHosts(row) !== guestAt.name) return false;
  const share = shares.find(({ port, workspaceId }) => port === guestAt.port && workspaceId === row.id) ?? null;
  const running = routableEndpoint(row) !== null;
  return guestSight({ share, bound, signedIn: sessionId !== null, running, now }) === "open";
}
