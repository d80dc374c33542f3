import { requestAddress } from "#core/requests/address.ts";
import { type GrowWish, type HomeSizes, requestGrow } from "#core/requests/home-size.ts";
import { isImageAllowed } from "#core/requests/images.ts";
import { requestKeepAwake } from "#core/requests/keep-awake.ts";
import { type Limits, limitOf, type Slots, slotFor } from "#core/requests/limits.ts";
import { requestNodeOff } from "#core/requests/node-off.ts";
import { type RepositoryWish, requestCommands, requestRepository, requestSkip } from "#core/requests/repository.ts";
import {
  type Actor,
  type Edit,
  type RequestInput,
  requestCreate,
  requestDelete,
  requestEdit,
  requestLevel,
  requestRecover,
  requestReset,
  requestRestart,
  requestRestoreArchive,
  requestUndelete,
  requestVerify,
  requestWake,
  type Verdict,
} from "#core/requests/requests.ts";
import { type AddressForm, drawAddress } from "#core/rows/address.ts";
import type { EventLine } from "#core/rows/mutation.ts";
import type { RequestAction, Workspace } from "#core/rows/workspace.ts";
import type { Ids } from "#ports/clock.ts";
import { AddressTaken, type RequestStore, type WorkspaceDraft } from "#ports/store.ts";
import type { SlotHolder, Views } from "#ports/views.ts";
import type { Answer, Refused } from "./answer.ts";

export interface RequestDeps {
  readonly requestStore: Pick<RequestStore, "change" | "create" | "allowCommands">;
  readonly views: Pick<Views, "slotHolders" | "mostRunning" | "firstOwner" | "ofOwner">;
  readonly limits: Limits;
  /** Images a workspace may use, the default one among them. */
  readonly images: readonly string[];
  /** Null where homes have no sizes. */
  readonly homeSizes: HomeSizes | null;
  /** How long a workspace's own page may keep it awake in a day. */
  readonly keepAwakeMaxMs: number;
  /** What new workspaces are called in host names, where their owners say nothing. */
  readonly addressForm: AddressForm;
  readonly ids: Pick<Ids, "uuid">;
  /** Workspaces are plain processes under one system user: only one person may start any. */
  readonly singleUserOnly: boolean;
}

const DRAWS = 5;

type Owned = Pick<Workspace, "id" | "ownerId">;

/**
 * Everything a person can request of a workspace, whichever way the request came. Who may request it is for the caller
 * to know; whether it can be granted is decided here and in core, in the transaction that writes it.
 */
export class WorkspaceRequests {
  readonly #deps: RequestDeps;
  readonly #address: string | null;

  constructor(deps: RequestDeps, address: string | null = null) {
    this.#deps = deps;
    this.#address = address;
  }

  /** The same for somebody at this address, which the audit log then has. */
  from(address: string): WorkspaceRequests {
    return new WorkspaceRequests(this.#deps, address);
  }

  async create(draft: Omit<WorkspaceDraft, "address">, actor: Actor, form?: AddressForm): Promise<Answer> {
    const { requestStore, limits, addressForm } = this.#deps;
    const refused =
      this.#imageRefused(draft.imageRef) ?? (draft.desiredState === "RUNNING" ? await this.#startRefused(draft) : null);
    if (refused !== null) return refused;
    const inWords = (form ?? addressForm) === "words";
    const made = await this.#withUuid((uuid) =>
      requestStore.create<Slots>({ ...draft, address: inWords ? drawAddress(draft.name, uuid) : null }, ({ slots }) => {
        const creation = requestCreate(slots, draft.desiredState, limits, actor);
        return creation.refuse === null ? { ...creation, events: this.#placed(creation.events) } : { refuse: slots };
      }),
    );
    return "refused" in made ? this.#limitReached(draft, null, made.refused) : { accepted: true };
  }

  /** Fields and level in one transaction. */
  async edit(target: Owned, edit: Edit, actor: Actor): Promise<Answer> {
    const { imageRef } = edit.columns;
    const starts = edit.level === "RUNNING";
    const refused =
      (imageRef === undefined ? null : this.#imageRefused(imageRef)) ??
      (starts ? await this.#startRefused(target) : null);
    if (refused !== null) return refused;
    return this.#ask(target, (input) => requestEdit(input, edit, this.#deps.limits, actor), starts);
  }

  /** A visit. */
  async wake(target: Owned, actor: Actor): Promise<Answer> {
    const refused = await this.#startRefused(target);
    return refused ?? this.#ask(target, (input) => requestWake(input, this.#deps.limits, actor), true);
  }

  standby(target: Owned, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestLevel(input, "STANDBY", this.#deps.limits, actor));
  }

  /** From where it is served to elsewhere: whoever is in it comes in again. */
  address(target: Owned, form: AddressForm, actor: Actor): Promise<Answer> {
    return this.#withUuid((uuid) => this.#ask(target, (input) => requestAddress(input, form, uuid, actor)));
  }

  /** From the workspace's own page. */
  keepAwake(target: Owned, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestKeepAwake(input, this.#deps.keepAwakeMaxMs, actor));
  }

  /** Everything a disabled user runs: nobody could use it, and it holds slots. */
  async standbyAll(ownerId: string, actor: Actor): Promise<void> {
    for (const { row } of await this.#deps.views.ofOwner(ownerId))
      if (row.deletedAt === null && row.desiredState === "RUNNING") await this.standby({ id: row.id, ownerId }, actor);
  }

  /** Everything of a user who was deleted, with a last copy and for as long as the trash is kept. */
  async trashAll(ownerId: string, actor: Actor): Promise<void> {
    for (const { row } of await this.#deps.views.ofOwner(ownerId))
      if (row.deletedAt === null) await this.delete({ id: row.id, ownerId }, null, actor);
  }

  /** The idlest of the owner's other workspaces gives up its place. */
  async makeRoom(target: Owned, actor: Actor): Promise<void> {
    const [idlest] = await this.#running(target);
    if (idlest !== undefined) await this.standby({ id: idlest.id, ownerId: target.ownerId }, actor);
  }

  /** Whether a wake would find a slot; the wake itself decides, under the limits' lock. */
  async slotFree(target: Owned): Promise<boolean> {
    const own = await this.#running(target);
    const all = await this.#deps.views.slotHolders(null);
    const mostOfOwner = await this.#deps.views.mostRunning(target.ownerId);
    const global = all.filter((holder) => holder.id !== target.id).length;
    const slots = { ofOwner: own.length, global, mostOfOwner };
    return slotFor(null, slots, this.#deps.limits).free;
  }

  recover(target: Owned, action: RequestAction, confirmation: string | null, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestRecover(input, action, confirmation, actor));
  }

  reset(target: Owned, confirmation: string, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestReset(input, confirmation, actor));
  }

  delete(target: Owned, purge: { confirmation: string } | null, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestDelete(input, purge, actor));
  }

  undelete(target: Owned, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestUndelete(input, actor));
  }

  nodeOff(target: Owned, confirmation: string, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestNodeOff(input, confirmation, actor));
  }

  async grow(target: Owned, wish: GrowWish, actor: Actor): Promise<Answer> {
    const { homeSizes: sizes } = this.#deps;
    if (sizes === null) return { accepted: false, refusal: "SIZE_FIXED" };
    return await this.#ask(target, (input) => requestGrow(input, wish, sizes, actor));
  }

  repository(target: Owned, wish: RepositoryWish, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestRepository(input, wish, actor));
  }

  /** First on record, then the start that reads it. */
  async allowCommands(target: Owned & Pick<Workspace, "source">, digest: string, actor: Actor): Promise<Answer> {
    if (target.source === null) return { accepted: false, refusal: "NO_REPOSITORY", row: null };
    await this.#deps.requestStore.allowCommands(target.ownerId, target.source.key, digest);
    return await this.#ask(target, (input) => requestCommands(input, actor));
  }

  skipSetup(target: Owned, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestSkip(input, actor));
  }

  restart(target: Owned, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestRestart(input, actor));
  }

  restoreArchive(target: Owned, opId: string, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestRestoreArchive(input, opId, actor));
  }

  verifyArchive(target: Owned, opId: string, actor: Actor): Promise<Answer> {
    return this.#ask(target, (input) => requestVerify(input, opId, actor));
  }

  /** An address that somebody has, or had, is drawn about once in 400 million times. */
  async #withUuid<T>(attempt: (uuid: string) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(this.#deps.ids.uuid());
      } catch (error) {
        if (!(error instanceof AddressTaken) || tries === DRAWS) throw error;
      }
    }
  }

  /** Slots are counted, under the limits' lock, only where one may be added. */
  async #ask(target: Owned, decide: (input: RequestInput) => Verdict, countSlots = false): Promise<Answer> {
    const { outcome, row, slots } = await this.#deps.requestStore.change(target.id, { countSlots }, (facts) => {
      const verdict = decide(facts);
      const result = { outcome: verdict.result, row: facts.row, slots: facts.slots };
      return verdict.write === null
        ? { ...verdict, result }
        : { ...verdict, events: this.#placed(verdict.events), result };
    });
    if (outcome.accepted) return outcome;
    const { refusal } = outcome;
    return refusal === "RUNNING_LIMIT_EXCEEDED"
      ? this.#limitReached(target, row, slots)
      : { accepted: false, refusal, row };
  }

  #placed(events: readonly EventLine[]): readonly EventLine[] {
    const address = this.#address;
    return address === null ? events : events.map((line) => ({ ...line, details: { ...line.details, address } }));
  }

  async #limitReached(target: Owned, row: Workspace | null, slots: Slots): Promise<Refused> {
    const { limits } = this.#deps;
    const verdict = slotFor(row, slots, limits);
    const ofUser = !verdict.free && verdict.scope === "user";
    const running = await this.#running(target);
    const reached = ofUser
      ? ({ scope: "user", limit: limitOf(slots, limits), held: slots.ofOwner, running } as const)
      : ({ scope: "global", limit: limits.maxRunningGlobal, held: slots.global, running } as const);
    return { accepted: false, refusal: "RUNNING_LIMIT_EXCEEDED", reached };
  }

  async #running({ id, ownerId }: Owned): Promise<readonly SlotHolder[]> {
    return (await this.#deps.views.slotHolders(ownerId)).filter((holder) => holder.id !== id);
  }

  #imageRefused(image: string): Refused | null {
    const { images: allowed } = this.#deps;
    return isImageAllowed(image, allowed) ? null : { accepted: false, refusal: "IMAGE_NOT_ALLOWED", image, allowed };
  }

  /** Plain processes under one system user protect nobody from anybody: there, only the first person may start any. */
  async #startRefused({ ownerId }: Owned): Promise<Refused | null> {
    if (!this.#deps.singleUserOnly) return null;
    const first = await this.#deps.views.firstOwner();
    return first === null || first === ownerId ? null : { accepted: false, refusal: "SINGLE_USER" };
  }
}
