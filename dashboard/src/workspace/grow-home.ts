import type { Session, Workspace } from "@codehub/contract";
import { api } from "../api.ts";
import { takeAnswer } from "../live/store.ts";
import { toast } from "../ui/toasts.tsx";

export const gib = 1024 ** 3;
export const inGib = (bytes: number): string => String(Math.round((bytes / gib) * 100) / 100);

/** What a home may hold now, and the most that this person may ask for; null: as much as there is. */
export interface HomeRoom {
  readonly held: number;
  readonly most: number | null;
}

/** Null where homes have no sizes. */
export function homeRoom(workspace: Workspace, { user, deployment }: Session): HomeRoom | null {
  const sizes = deployment.limits.home_sizes;
  if (sizes === null) return null;
  const held = Math.max(workspace.home_size_bytes ?? 0, sizes.new_bytes);
  return { held, most: user.role === "admin" ? null : sizes.owner_max_bytes };
}

/** What to offer: twice as much, as far as this person may; null where that is no more than there is. */
export function nextSize({ held, most }: HomeRoom): number | null {
  const next = Math.min(held * 2, most ?? Number.POSITIVE_INFINITY);
  return next > held ? next : null;
}

export async function growHome({ id }: Workspace, bytes: number): Promise<void> {
  await takeAnswer(api.growHome({ params: { id }, body: { size_bytes: bytes } }));
  toast({ tone: "done", text: "Asked for a larger home. The history says what came of it." });
}
