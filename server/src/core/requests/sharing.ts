import type { Ms } from "#core/rows/workspace.ts";

/** With whom a port can be shared; nobody but the owner where there is no share. */
export type Audience = "users" | "public";
/** The most that the operator allows. */
export type SharingBound = "off" | Audience;

export interface PortShare {
  readonly workspaceId: string;
  readonly port: number;
  readonly audience: Audience;
  /** Null: until it is closed. */
  readonly expiresAt: Ms | null;
  readonly createdAt: Ms;
}

/** Of one workspace at a time. */
export const MOST_SHARES = 20;

export const boundAllows = (bound: SharingBound, audience: Audience): boolean =>
  bound === "public" || bound === audience;

/** Whether a share says something to anybody now. */
export const isOpen = ({ audience, expiresAt }: PortShare, bound: SharingBound, now: Ms): boolean =>
  boundAllows(bound, audience) && (expiresAt === null || expiresAt > now);

export interface GuestFacts {
  /** Of the port that is visited, as far as its workspace is not deleted and its owner not disabled. */
  readonly share: PortShare | null;
  readonly bound: SharingBound;
  /** With a session for this very port. */
  readonly signedIn: boolean;
  readonly running: boolean;
  readonly now: Ms;
}

/** What somebody who is not the owner finds at a port: what is not shared with them looks as if it were not there. */
export function guestSight({ share, bound, signedIn, running, now }: GuestFacts): "nothing" | "not_running" | "open" {
  if (share === null || !isOpen(share, bound, now)) return "nothing";
  if (share.audience === "users" && !signedIn) return "nothing";
  return running ? "open" : "not_running";
}

export interface ShareFacts {
  /** Null where there is none, or it is not this person's. */
  readonly workspace: { readonly deletedAt: Ms | null } | null;
  readonly shares: readonly PortShare[];
  readonly ownPorts: readonly number[];
  readonly bound: SharingBound;
}

export type ShareRefusal = "NOT_FOUND" | "DELETED" | "SHARING_OFF" | "OWN_PORT" | "TOO_MANY";

/** Whether a port can be shared in this way; a share that is there already is replaced. */
export function shareRefusal(
  { workspace, shares, ownPorts, bound }: ShareFacts,
  wish: Pick<PortShare, "port" | "audience">,
): ShareRefusal | null {
  if (workspace === null) return "NOT_FOUND";
  if (workspace.deletedAt !== null) return "DELETED";
  if (!boundAllows(bound, wish.audience)) return "SHARING_OFF";
  if (ownPorts.includes(wish.port)) return "OWN_PORT";
  return shares.filter(({ port }) => port !== wish.port).length >= MOST_SHARES ? "TOO_MANY" : null;
}
