import { type Static, type TSchema, Type } from "typebox";
import { Count, closed, line, nullable, Timestamp, text, Uuid } from "./schema.ts";
import { KeysAllowed, RepositoryAddress, Setup, WorkspaceRepository } from "./setup.ts";
import { desiredStates, errorReasons, nextKinds, operations, phases, safetyLevels, sortKeys } from "./values.ts";

export const Phase = Type.Enum([...phases], { title: "Phase" });
export type Phase = (typeof phases)[number];

export const DesiredState = Type.Enum([...desiredStates], { title: "DesiredState" });
export type DesiredState = (typeof desiredStates)[number];

export const Operation = Type.Enum([...operations], { title: "Operation" });
export type Operation = (typeof operations)[number];

export const ErrorReason = Type.Enum([...errorReasons], { title: "ErrorReason" });
export type ErrorReason = (typeof errorReasons)[number];

/** What the sentence of a code speaks of: names, moments and numbers. */
export const MeaningFields = Type.Record(Type.String(), Type.Unknown(), {
  title: "MeaningFields",
  description:
    "What the code speaks of: names, moments, numbers. `failure`, where it is there, says more exactly what went wrong.",
});
export const Detail = Type.String({
  description: "What a program or another system said about it, as it said it; empty where nothing did.",
});

/** One light of the workspace. `unknown_since` is set while the last probe failed: `status` is then the last answer. */
export const Condition = closed(
  {
    status: Type.Boolean(),
    reason: Type.String({ description: "The code to go by." }),
    message: Type.String({ description: "The same for people, made of reason, fields and detail." }),
    fields: Type.Optional(MeaningFields),
    detail: Type.Optional(Detail),
    last_transition_time: Timestamp,
    unknown_since: Type.Optional(Timestamp),
  },
  { title: "Condition" },
);
export type Condition = Static<typeof Condition>;

/** What a start waits for. */
export const Waiting = closed(
  {
    code: Type.String({ description: "For example pulling, no_node or disk_elsewhere." }),
    fields: MeaningFields,
    detail: Detail,
    message: Type.String({ description: "The same for people, without the detail." }),
    since: Timestamp,
  },
  { title: "Waiting" },
);
export type Waiting = Static<typeof Waiting>;

/** How far the running operation has come, as far as that is known. Totals are null until they are known. */
export const Progress = closed(
  {
    stage: Type.String({ description: "What is done now, for example packing or comparing." }),
    bytes_done: Count,
    bytes_total: nullable(Count),
    files_done: Count,
    files_total: nullable(Count),
    rate_bytes_per_second: nullable(Type.Number({ minimum: 0 })),
    eta_seconds: nullable(Type.Number({ minimum: 0 })),
    waiting: Type.Optional(Waiting),
    updated_at: Timestamp,
  },
  { title: "Progress" },
);
export type Progress = Static<typeof Progress>;

export const WorkspaceError = closed(
  {
    reason: ErrorReason,
    message: Type.String({ description: "For people, made of fields and detail." }),
    fields: MeaningFields,
    detail: Detail,
    operation: nullable(Operation),
    is_terminal: Type.Boolean(),
    attempts: Count,
    elapsed_seconds: nullable(Type.Number({ minimum: 0, description: "How long the attempt had been running." })),
    previous_phase: nullable(Phase),
    occurred_at: nullable(Timestamp),
    what_to_do: Type.String({ description: "One or two sentences a person can act on." }),
  },
  { title: "WorkspaceError" },
);
export type WorkspaceError = Static<typeof WorkspaceError>;

/** What happens next, when and why. */
export const Next = closed(
  {
    kind: Type.Enum([...nextKinds]),
    operation: nullable(Operation),
    at: nullable(Timestamp),
    code: Type.String({ description: "Why; with needs_person the reason of the error." }),
    fields: MeaningFields,
    summary: Type.String({ description: "The same for people." }),
  },
  { title: "Next" },
);
export type Next = Static<typeof Next>;

const HomeBytes = {
  ...Count,
  description: "The files of the newest archive; before there is one, of the home as they were counted last.",
};

export const ArchiveProof = closed(
  {
    op_id: Uuid,
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    archive_bytes: Count,
    home_bytes: Count,
    entry_count: Count,
    created_at: Timestamp,
    verified_at: Timestamp,
    age_seconds: Count,
  },
  { title: "ArchiveProof" },
);
export type ArchiveProof = Static<typeof ArchiveProof>;

/** Where the home is and how it could be brought back. */
export const Safety = closed(
  {
    level: Type.Enum([...safetyLevels]),
    home_in: Type.Enum(["volume", "archive", "nowhere"]),
    summary: Type.String({ description: "The same for people." }),
    last_verified_archive: nullable(ArchiveProof),
  },
  { title: "Safety" },
);
export type Safety = Static<typeof Safety>;

const Ttl = Type.Union([Type.Literal(0), Type.Integer({ minimum: 60, maximum: 315_360_000 })], {
  description: "Seconds; 0 is never, at least 60 otherwise.",
});

export const AddressForm = Type.Enum(["words", "id"], {
  description: "What stands for it in host names: words of its name and a few random letters, or its id.",
});

export const Workspace = closed(
  {
    id: Uuid,
    name: Type.String(),
    description: nullable(Type.String()),
    memo: nullable(Type.String({ description: "Markdown." })),
    image_ref: Type.String(),
    owner: closed({ id: Uuid, username: Type.String() }),
    phase: Phase,
    phase_changed_at: Timestamp,
    desired_state: DesiredState,
    desired_version: Count,
    operation: Operation,
    op_started_at: nullable(Timestamp),
    progress: nullable(Progress),
    conditions: Type.Record(Type.String(), Condition),
    observed_at: nullable(Timestamp),
    error: nullable(WorkspaceError),
    next: Next,
    created_at: Timestamp,
    updated_at: Timestamp,
    last_access_at: nullable(Timestamp),
    keep_awake_until: nullable(Timestamp),
    standby_ttl_seconds: nullable(Ttl),
    archive_ttl_seconds: nullable(Ttl),
    effective_standby_ttl_seconds: Count,
    effective_archive_ttl_seconds: Count,
    home_bytes: nullable(HomeBytes),
    home_size_bytes: nullable(
      Type.Integer({ minimum: 0, description: "What somebody asked for; null: as large as a new home." }),
    ),
    home_disk: nullable(
      closed(
        {
          used_bytes: Count,
          total_bytes: Count,
          shared: Type.Boolean({ description: "All homes of the machine are on it." }),
          measured_at: Timestamp,
        },
        {
          description:
            "Of the disk that the home is on, while that is nearly full; null: there is room, or nobody knows.",
        },
      ),
    ),
    repository: nullable(WorkspaceRepository),
    setup: nullable(Setup),
    keys_allowed: Type.Boolean({ description: "Whether it is given its owner's keys and secrets." }),
    safety: Safety,
    restart_required: Type.Boolean({ description: "The image was changed; the next start takes it." }),
    deleted_at: nullable(Timestamp),
    purge: Type.Boolean(),
    undelete_until: nullable(Timestamp),
    address: nullable(
      closed(
        { form: AddressForm, url: Type.String() },
        {
          description:
            "Where it is served, and nowhere else; null for everybody but its owner, and in single-origin mode.",
        },
      ),
    ),
    open_url: nullable(Type.String({ description: "The door of the workspace; null for everybody but its owner." })),
    version: Count,
  },
  { title: "Workspace" },
);
export type Workspace = Static<typeof Workspace>;

const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

/**
 * A workspace in a list and in events: what a list shows and decides from. Each field is where the whole form has it and
 * means the same. What there is none of is left out, because a list would say so a hundred times.
 */
export const WorkspaceSummary = closed(
  {
    id: Uuid,
    name: Type.String(),
    description: maybe(Type.String()),
    image_ref: Type.Optional(Type.String({ description: "Where there is no description that tells it from others." })),
    owner: Type.Optional(closed({ username: Type.String() }, { description: "Of a workspace of somebody else." })),
    phase: Phase,
    desired_state: DesiredState,
    operation: Operation,
    progress: maybe(Progress),
    error: maybe(
      closed({
        reason: ErrorReason,
        fields: MeaningFields,
        detail: Type.String({ description: "As in the whole form; of a long one its beginning." }),
      }),
    ),
    next: Type.Optional(
      closed({
        kind: Type.Enum([...nextKinds]),
        operation: maybe(Operation),
        at: maybe(Timestamp),
        code: Type.Optional(Type.String({ description: "With its fields, where the kind does not say it all." })),
        fields: Type.Optional(MeaningFields),
      }),
    ),
    created_at: Timestamp,
    last_access_at: maybe(Timestamp),
    home_bytes: maybe(HomeBytes),
    safety: closed({
      level: Type.Enum([...safetyLevels]),
      last_verified_archive: maybe(closed({ verified_at: Timestamp })),
    }),
    deleted_at: maybe(Timestamp),
    purge: Type.Optional(Type.Boolean()),
    undelete_until: maybe(Timestamp),
    version: Count,
  },
  { title: "WorkspaceSummary" },
);
export type WorkspaceSummary = Static<typeof WorkspaceSummary>;

const Sought = text(200, { description: "Text to be found in name, description or memo." });
const Phases = Type.String({
  maxLength: 100,
  pattern: `^(${phases.join("|")})(,(${phases.join("|")}))*$`,
  description: "One phase or several, separated by commas.",
});

export const WorkspaceListQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: "next_cursor of the previous page." })),
  q: Type.Optional(Sought),
  phase: Type.Optional(Phases),
  trash: Type.Optional(
    Type.Enum(["exclude", "only", "include"], { default: "exclude", description: "What to do with deleted ones." }),
  ),
  owner: Type.Optional(
    Type.String({ pattern: "^(me|all|[0-9a-f-]{36})$", description: "me, or for admins all or a user's id." }),
  ),
  sort: Type.Optional(Type.Enum([...sortKeys], { default: "created_at" })),
  order: Type.Optional(Type.Enum(["asc", "desc"], { default: "desc" })),
  view: Type.Optional(
    Type.Enum(["summary", "full"], {
      default: "summary",
      description: "summary: what a list shows. full: each as GET of that one workspace answers it.",
    }),
  ),
});
export type WorkspaceListQuery = Static<typeof WorkspaceListQuery>;

const page = <T extends TSchema>(item: T, title: string) =>
  closed({ items: Type.Array(item), next_cursor: nullable(Type.String()), total: Count }, { title });

export const WorkspaceList = page(WorkspaceSummary, "WorkspaceList");
export type WorkspaceList = Static<typeof WorkspaceList>;
/** What `view=full` answers. */
export const FullWorkspaceList = page(Workspace, "FullWorkspaceList");
export type FullWorkspaceList = Static<typeof FullWorkspaceList>;

export const OwnerListQuery = closed({ q: Type.Optional(Sought), phase: Type.Optional(Phases) });

export const OwnerList = closed(
  {
    items: Type.Array(
      closed({ id: Uuid, username: Type.String(), workspaces: { ...Count, description: "How many of theirs match." } }),
    ),
    total: Count,
  },
  { title: "OwnerList" },
);
export type OwnerList = Static<typeof OwnerList>;

const Name = line(100, { description: "Shown everywhere; asked for again by reset and purge." });
const ImageRef = Type.String({ minLength: 1, maxLength: 255, pattern: "^[A-Za-z0-9][A-Za-z0-9._/:@-]*$" });

export const CreateWorkspace = closed(
  {
    name: Name,
    description: Type.Optional(nullable(text(500))),
    memo: Type.Optional(nullable(text(20_000))),
    image_ref: Type.Optional(ImageRef),
    desired_state: Type.Optional(Type.Enum(["RUNNING", "STANDBY", "ARCHIVED"], { default: "RUNNING" })),
    standby_ttl_seconds: Type.Optional(nullable(Ttl)),
    archive_ttl_seconds: Type.Optional(nullable(Ttl)),
    repository: Type.Optional(RepositoryAddress),
    keys_allowed: Type.Optional(KeysAllowed),
    address: Type.Optional(AddressForm),
  },
  { title: "CreateWorkspace" },
);
export type CreateWorkspace = Static<typeof CreateWorkspace>;

/** Every field may be left out; null clears a field, and for a TTL means "inherit the default". */
export const UpdateWorkspace = closed(
  {
    name: Type.Optional(Name),
    description: Type.Optional(nullable(text(500))),
    memo: Type.Optional(nullable(text(20_000))),
    image_ref: Type.Optional(ImageRef),
    desired_state: Type.Optional(Type.Enum(["RUNNING", "STANDBY", "ARCHIVED"])),
    standby_ttl_seconds: Type.Optional(nullable(Ttl)),
    archive_ttl_seconds: Type.Optional(nullable(Ttl)),
    keep_awake_until: Type.Optional(nullable(Timestamp)),
    keys_allowed: Type.Optional(KeysAllowed),
  },
  { title: "UpdateWorkspace", minProperties: 1 },
);
export type UpdateWorkspace = Static<typeof UpdateWorkspace>;

export const ChangeAddress = closed({ address: AddressForm }, { title: "ChangeAddress" });

export const DeleteWorkspaceQuery = closed({
  purge: Type.Optional(Type.Boolean({ default: false, description: "Delete for good, without a way back." })),
  confirm: Type.Optional(Type.String({ maxLength: 100, description: "The workspace's name; needed with purge." })),
});

export const RecoverWorkspace = closed(
  {
    restore_archive: Type.Optional(Uuid),
    use_archive: Type.Optional(Uuid),
    start_empty: Type.Optional(Type.Boolean()),
    confirm: Type.Optional(Type.String({ maxLength: 100, description: "The name; needed with start_empty." })),
  },
  { title: "RecoverWorkspace" },
);
export type RecoverWorkspace = Static<typeof RecoverWorkspace>;

export const ResetWorkspace = closed({ confirm: Type.String({ maxLength: 100 }) }, { title: "ResetWorkspace" });
export type ResetWorkspace = Static<typeof ResetWorkspace>;

export const DeclareNodeOff = closed(
  { confirm: Type.String({ maxLength: 253, description: "The exact name of the node." }) },
  { title: "DeclareNodeOff" },
);
export type DeclareNodeOff = Static<typeof DeclareNodeOff>;

export const GrowHome = closed(
  { size_bytes: Type.Integer({ minimum: 1024 ** 2, maximum: 1024 ** 5 }) },
  { title: "GrowHome" },
);
export type GrowHome = Static<typeof GrowHome>;

export const WorkspaceLogs = closed(
  { lines: Type.Array(Type.String()), truncated: Type.Boolean() },
  { title: "WorkspaceLogs" },
);
export type WorkspaceLogs = Static<typeof WorkspaceLogs>;
