import { type Static, Type } from "typebox";
import { Count, closed, nullable, Timestamp, Uuid } from "./schema.ts";
import { actorKinds } from "./values.ts";
import { Operation, Phase } from "./workspace.ts";

/** One line of the history of a workspace, and of the audit log where no workspace is concerned. */
export const HistoryEvent = closed(
  {
    id: Type.String({ description: "Grows with time; order by it." }),
    at: Timestamp,
    kind: Type.String({ description: "For example phase_changed, desired_changed, operation_failed, login." }),
    workspace_id: nullable(Uuid),
    actor: closed({ kind: Type.Enum([...actorKinds]), user_id: nullable(Uuid), username: nullable(Type.String()) }),
    summary: Type.String({ description: "For people. What means something is in the other fields." }),
    from_phase: nullable(Phase),
    to_phase: nullable(Phase),
    operation: nullable(Operation),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: "`code` says why it happened; beside it are the names, moments and numbers it speaks of.",
    }),
  },
  { title: "HistoryEvent" },
);
export type HistoryEvent = Static<typeof HistoryEvent>;

/** The id of a line. Eighteen digits are enough for ever and never more than PostgreSQL's bigint can hold. */
const Cursor = Type.String({ pattern: "^[0-9]{1,18}$", description: "next_cursor of the previous page." });

export const HistoryQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  cursor: Type.Optional(Cursor),
});

/** What the audit log is narrowed down to. */
const auditFilter = {
  user_id: Type.Optional({ ...Uuid, description: "Only what this person did." }),
  actor_kind: Type.Optional(Type.Enum([...actorKinds])),
  workspace_id: Type.Optional(Uuid),
  kind: Type.Optional(Type.String({ maxLength: 60, pattern: "^[a-z_]+$" })),
  since: Type.Optional({ ...Timestamp, description: "Not before this moment." }),
  until: Type.Optional({ ...Timestamp, description: "Before this moment." }),
};
export const AuditFilter = closed(auditFilter);
export type AuditFilter = Static<typeof AuditFilter>;

export const AuditQuery = closed({
  ...auditFilter,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  cursor: Type.Optional(Cursor),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, default: 1, description: "By number, counted from the cursor." }),
  ),
});

/** Newest first; total counts every line that matches, also those of other pages. */
export const HistoryList = closed(
  { items: Type.Array(HistoryEvent), next_cursor: nullable(Type.String()), total: Count },
  { title: "HistoryList" },
);
export type HistoryList = Static<typeof HistoryList>;

/** What administrators see of a line beyond that. */
export const AuditEvent = closed(
  {
    ...HistoryEvent.properties,
    address: nullable(Type.String({ description: "Where the request came from; null where nobody asked." })),
    workspace_name: nullable(Type.String()),
  },
  { title: "AuditEvent" },
);
export type AuditEvent = Static<typeof AuditEvent>;

export const AuditList = closed(
  { items: Type.Array(AuditEvent), next_cursor: nullable(Type.String()), total: Count },
  { title: "AuditList" },
);
export type AuditList = Static<typeof AuditList>;

/** Each as if nothing of its own sort were chosen, the most frequent first; of the newest hundred thousand lines. */
export const AuditFacets = closed(
  {
    kinds: Type.Array(closed({ kind: Type.String(), count: Count })),
    actors: Type.Array(closed({ actor: HistoryEvent.properties.actor, count: Count })),
    workspaces: Type.Array(closed({ id: Uuid, name: nullable(Type.String()), count: Count })),
  },
  { title: "AuditFacets" },
);
export type AuditFacets = Static<typeof AuditFacets>;
