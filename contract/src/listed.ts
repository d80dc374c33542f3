import type { Next, Safety, Workspace, WorkspaceError, WorkspaceSummary } from "./workspace.ts";

type State = "phase" | "desired_state" | "operation" | "progress" | "home_bytes" | "version";
type Moments = "created_at" | "last_access_at" | "deleted_at" | "purge" | "undelete_until";

/**
 * A workspace as lists have it: what the wire leaves out is null again, as in the whole form. The whole form is one, too,
 * so that whatever shows a row can be given either.
 */
export interface Listed extends Pick<Workspace, "id" | "name" | "description" | State | Moments> {
  readonly image_ref: string;
  /** Null for one's own. */
  readonly owner: { readonly username: string } | null;
  readonly error: Pick<WorkspaceError, "reason" | "fields" | "detail"> | null;
  readonly next: Omit<Next, "summary">;
  readonly safety: {
    readonly level: Safety["level"];
    readonly last_verified_archive: { readonly verified_at: string } | null;
  };
}

/** Where the owner of a workspace gets in. */
export const doorOf = (id: string): string => `/w/${id}/`;

/** A summary as it was before it was made short for the way. */
export const listed = (row: WorkspaceSummary): Listed => ({
  ...row,
  description: row.description ?? null,
  image_ref: row.image_ref ?? "",
  owner: row.owner ?? null,
  progress: row.progress ?? null,
  error: row.error ?? null,
  next: { ...NOTHING, ...row.next },
  last_access_at: row.last_access_at ?? null,
  home_bytes: row.home_bytes ?? null,
  safety: { level: row.safety.level, last_verified_archive: row.safety.last_verified_archive ?? null },
  deleted_at: row.deleted_at ?? null,
  purge: row.purge ?? false,
  undelete_until: row.undelete_until ?? null,
});

const NOTHING = { kind: "nothing", operation: null, at: null, code: "", fields: {} } as const;
