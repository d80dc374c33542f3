import { lastStatus } from "#core/rows/condition.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { OPERATIONS } from "#core/rules/operations.ts";

export interface Limits {
  readonly maxRunningPerUser: number;
  readonly maxRunningGlobal: number;
}

/**
 * What holds a slot: everything that is requested to run, also in ERROR, everything whose container is still there, and
 * what is being started although the request has gone: operations are never cut short, so it will run for a moment.
 */
export function holdsSlot(row: Pick<Workspace, "desiredState" | "deletedAt" | "conditions" | "operation">): boolean {
  if (lastStatus(row.conditions, "infra.container_present")) return true;
  if (row.operation !== "NONE" && OPERATIONS[row.operation].holdsSlot) return true;
  return row.desiredState === "RUNNING" && row.deletedAt === null;
}

export interface Slots {
  /** Slots held by this owner and by everybody, without the workspace that asks. */
  readonly ofOwner: number;
  readonly global: number;
  /** What this owner may have in place of what everybody may; null or left out where nothing was said. */
  readonly mostOfOwner?: number | null;
}

/** How many one person may have. */
export const limitOf = ({ mostOfOwner }: Pick<Slots, "mostOfOwner">, limits: Limits): number =>
  mostOfOwner ?? limits.maxRunningPerUser;

export type SlotVerdict = { readonly free: true } | { readonly free: false; readonly scope: "user" | "global" };

/**
 * A workspace that is requested to run has its slot. One that only has a container left over was perhaps never given one:
 * somebody may have started that by hand, so it asks like everybody else.
 */
export function slotFor(row: Workspace | null, slots: Slots, limits: Limits): SlotVerdict {
  if (row !== null && row.desiredState === "RUNNING" && row.deletedAt === null) return { free: true };
  if (slots.ofOwner >= limitOf(slots, limits)) return { free: false, scope: "user" };
  if (slots.global >= limits.maxRunningGlobal) return { free: false, scope: "global" };
  return { free: true };
}
