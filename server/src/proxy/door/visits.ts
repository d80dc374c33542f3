import type { Limits } from "#core/wishes/limits.ts";
import { type Refusal, type WishOutcome, wishLevel, wishRecover, wishWake } from "#core/wishes/wishes.ts";
import type { WishStore } from "#ports/store.ts";
import type { SlotHolder, Views } from "#ports/views.ts";

export interface VisitDeps {
  readonly wishes: Pick<WishStore, "change">;
  readonly views: Pick<Views, "slotHolders" | "firstOwner">;
  readonly limits: Limits;
  /** Workspaces are plain processes under one system user: only one person may start any. */
  readonly singleUserOnly: boolean;
}

export type WakeOutcome = "accepted" | "single_user" | Refusal;

/** What a visitor may wish for. Everything goes through the wish store, as every wish does. */
export class Visits {
  readonly #deps: VisitDeps;

  constructor(deps: VisitDeps) {
    this.#deps = deps;
  }

  async wake(workspaceId: string, userId: string): Promise<WakeOutcome> {
    const { wishes, views, limits, singleUserOnly } = this.#deps;
    if (singleUserOnly) {
      const first = await views.firstOwner();
      if (first !== null && first !== userId) return "single_user";
    }
    return outcome(await wishes.change(workspaceId, { countSlots: true }, (facts) => wishWake(facts, limits, userId)));
  }

  /** The idlest of the owner's other workspaces gives up its place. */
  async makeRoom(workspaceId: string, userId: string): Promise<boolean> {
    const [idlest] = await this.running(workspaceId, userId);
    if (idlest === undefined) return false;
    const { wishes, limits } = this.#deps;
    const result = await wishes.change(idlest.id, { countSlots: false }, (facts) =>
      wishLevel(facts, "STANDBY", limits, userId),
    );
    return result.accepted;
  }

  async recover(workspaceId: string, userId: string): Promise<void> {
    await this.#deps.wishes.change(workspaceId, { countSlots: false }, (facts) =>
      wishRecover(facts, { kind: "recover" }, null, userId),
    );
  }

  /** The owner's other workspaces that hold a slot, the idlest first. */
  async running(workspaceId: string, userId: string): Promise<readonly SlotHolder[]> {
    return (await this.#deps.views.slotHolders(userId)).filter((holder) => holder.id !== workspaceId);
  }

  /** Whether a wake would find a slot; the wake itself decides, under the limits' lock. */
  async slotFree(workspaceId: string, userId: string): Promise<boolean> {
    const { maxRunningPerUser, maxRunningGlobal } = this.#deps.limits;
    if ((await this.running(workspaceId, userId)).length >= maxRunningPerUser) return false;
    const all = await this.#deps.views.slotHolders(null);
    return all.filter((holder) => holder.id !== workspaceId).length < maxRunningGlobal;
  }

  limitScope(running: readonly SlotHolder[]): "user" | "global" {
    return running.length >= this.#deps.limits.maxRunningPerUser ? "user" : "global";
  }
}

const outcome = (result: WishOutcome): WakeOutcome => (result.accepted ? "accepted" : result.refusal);
