import type { ServerResponse } from "node:http";
import { guestSight, type SharingBound } from "#core/requests/sharing.ts";
import type { Clock } from "#ports/clock.ts";
import type { ShareReader } from "#ports/shares.ts";
import { redirect } from "#proxy/pages/answers.ts";
import { sendPage } from "#proxy/pages/layout.ts";
import { notRunningPage } from "#proxy/pages/plain-pages.ts";
import { safeNext } from "#proxy/wire/request-target.ts";
import type { Handover, Issue } from "./handover.ts";
import type { Origins } from "./origins.ts";
import { routableEndpoint } from "./visit.ts";

export interface GuestDoorDeps {
  readonly origins: Origins;
  readonly clock: Clock;
  readonly handover: Handover;
  readonly loginPath: string;
  readonly shares: ShareReader;
  readonly sharing: SharingBound;
}

/** The door for whoever is signed in and not the owner: to a port that is shared with them, and to nothing else. It wakes nothing. */
export class GuestDoor {
  readonly #deps: GuestDoorDeps;

  constructor(deps: GuestDoorDeps) {
    this.#deps = deps;
  }

  /** False when nothing was sent: to this visitor, there is no such workspace. */
  async show(res: ServerResponse, issue: Issue, port: number): Promise<boolean> {
    const { clock, handover, loginPath, origins, shares, sharing } = this.#deps;
    const { row, query } = issue;
    if (sharing === "off" || row.deletedAt !== null) return false;
    const share = (await shares.open([row.id])).find((one) => one.port === port) ?? null;
    const running = routableEndpoint(row) !== null;
    const sight = guestSight({ share, bound: sharing, signedIn: true, running, now: clock.nowMs() });
    if (share === null || sight === "nothing") return false;
    if (sight === "not_running") sendPage(res, notRunningPage());
    else if (share.audience === "public")
      redirect(res, origins.workspace(row, port).origin + safeNext(query.get("next")));
    else if (!(await handover.issue(res, issue, port))) redirect(res, loginPath);
    return true;
  }
}
