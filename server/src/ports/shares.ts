import type { Audience, PortShare } from "#core/requests/sharing.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { Doer } from "./accounts.ts";

export interface ShareReader {
  /** What is shared of these workspaces by the database's clock: nothing of a deleted one, or of a disabled owner's. */
  readonly open: (workspaceIds: readonly string[]) => Promise<readonly PortShare[]>;
}

export interface ShareWish {
  readonly workspaceId: string;
  readonly port: number;
  readonly audience: Audience;
  /** Null: until it is closed. */
  readonly lifetimeMs: number | null;
}

/** A workspace and what is shared of it, while nobody else changes them. */
export interface SharedNow {
  readonly workspace: Workspace | null;
  readonly shares: readonly PortShare[];
}

export interface ShareStore extends ShareReader {
  /** Shares unless `decide` refuses; the line in the history is of the same transaction. */
  readonly share: <R>(wish: ShareWish, by: Doer, decide: (now: SharedNow) => R | null) => Promise<R | null>;
  /** False where there was none. */
  readonly close: (workspaceId: string, port: number, by: Doer) => Promise<boolean>;
  /** Removes what expired; nothing depends on it but disk space. */
  readonly sweep: () => Promise<number>;
}
