import { rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Accounts, giveHome } from "./accounts.ts";
import { homeOf, type Place } from "./place.ts";
import { apartRoom, ROOM_HOME, type Room, roomOf } from "./room.ts";

/** Who a workspace is on this machine: what is needed to run something as its user (`spawnAsUser`). */
export interface Resident {
  /** Null when workspaces run as whoever runs the server. */
  readonly uid: number | null;
  readonly room: Room | null;
  /** Where its own programs find the home. */
  readonly home: string;
}

export interface ResidentSpec {
  readonly workspaceId: string;
  readonly ownerId: string;
  readonly volume: string;
  readonly hostName?: string;
}

export class Residents {
  readonly #place: Place;
  readonly #accounts: Accounts;

  constructor(place: Place, accounts: Accounts) {
    this.#place = place;
    this.#accounts = accounts;
  }

  /** Its account, and a home that belongs to it. */
  async admit({ workspaceId, ownerId, volume, hostName }: ResidentSpec, abort?: AbortSignal): Promise<Resident> {
    const uid = await this.#accounts.uidFor(ownerId);
    abort?.throwIfAborted();
    const home = homeOf(this.#place, volume);
    if (uid !== null) await giveHome(join(home, ".."), home, uid);
    const room = roomOf(this.#place, { uid, volume, workspaceId, hostName });
    return { uid, room, home: room === null ? join(this.#place.homesDir, workspaceId) : ROOM_HOME };
  }

  /** Its owner's account, and no home: what is written there is in memory, and goes with whoever wrote it. */
  async admitApart({
    id,
    ownerId,
  }: {
    readonly id: string;
    readonly ownerId: string;
  }): Promise<Omit<Resident, "home">> {
    const uid = await this.#accounts.uidFor(ownerId);
    return { uid, room: apartRoom(this.#place, { uid, id }) };
  }

  /** The same for something that runs while the workspace has no container, so that nobody has its home's name. */
  async admitAtRest(spec: ResidentSpec): Promise<Resident> {
    const resident = await this.admit(spec);
    await pointHome(this.#place, spec);
    return resident;
  }
}

/** A restore makes a volume of another name; the path the user sees stays. */
export async function pointHome(
  place: Place,
  { workspaceId, volume }: Pick<ResidentSpec, "workspaceId" | "volume">,
): Promise<void> {
  const temporary = join(place.homesDir, `.${workspaceId}`);
  await rm(temporary, { force: true });
  await symlink(homeOf(place, volume), temporary);
  await rename(temporary, join(place.homesDir, workspaceId));
}
