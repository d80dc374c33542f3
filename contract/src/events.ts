import { type Static, type TSchema, Type } from "typebox";
import { Count, closed, Uuid } from "./schema.ts";
import type { eventTypes } from "./values.ts";
import { Progress, WorkspaceSummary } from "./workspace.ts";

/**
 * What `GET /api/v1/events` sends. The first event is always `snapshot`. A client keeps, per workspace, the highest
 * version it has seen and ignores older ones. `workspace_deleted` takes a workspace out of the list; its later updates
 * carry `deleted_at` and belong to the trash. A snapshot holds both. After `resync` a new snapshot follows on the same
 * stream. `workspace_progress` carries the version of the row it belongs to. Workspaces come as lists show them: whoever
 * needs all of one asks for it, and asks again while what it has is older than the newest version it heard of.
 */
export const eventSchemas = {
  snapshot: closed({ workspaces: Type.Array(WorkspaceSummary) }, { title: "SnapshotEvent" }),
  workspace_updated: WorkspaceSummary,
  workspace_deleted: closed({ id: Uuid, version: Count }, { title: "WorkspaceDeletedEvent" }),
  workspace_progress: closed({ id: Uuid, version: Count, progress: Progress }, { title: "WorkspaceProgressEvent" }),
  resync: closed({ reason: Type.String() }, { title: "ResyncEvent" }),
  heartbeat: closed({}, { title: "HeartbeatEvent" }),
} as const satisfies Record<EventType, TSchema>;

export type EventType = (typeof eventTypes)[number];
export type EventData<T extends EventType> = Static<(typeof eventSchemas)[T]>;
export type ServerEvent = { [T in EventType]: { type: T; data: EventData<T> } }[EventType];
