import { lastStatus } from "./condition.ts";
import type { Workspace } from "./workspace.ts";

export interface Limits {
  readonly maxRunningPerUser: number;
  readonly maxRunningGlobal: number;
}

/** What holds a slot: everything that is wished to run, also in ERROR, and everything whose container is still there. */
export function holdsSlot(row: Pick<Workspace, "desiredState" | "deletedAt" | "conditions">): boolean {
  if (lastStatus(row.conditions, "infra.container_present")) return true;
  return row.desiredState === "RUNNING" && row.deletedAt === null;
}

export interface Slots {
  /** Slots held by this owner and by everybody, without the workspace that asks. */
  readonly ofOwner: number;
  readonly global: number;
}

export type SlotVerdict = { readonly free: true } | { readonly free: false; readonly scope: "user" | "global" };

/** A workspace that holds a slot already needs no second one. */
export function slotFor(row: Workspace | null, slots: Slots, limits: Limits): SlotVerdict {
  if (row !== null && holdsSlot(row)) return { free: true };
  if (slots.ofOwner >= limits.maxRunningPerUser) return { free: false, scope: "user" };
  if (slots.global >= limits.maxRunningGlobal) return { free: false, scope: "global" };
  return { free: true };
}
