import { type Admission, isGuest } from "#proxy/door/admission.ts";

/** Of one port at a time. All workspaces have one number of connections together, and anybody may be a guest. */
export const MOST_GUESTS = 200;

interface Entering {
  readonly session: Admission;
  readonly host: { readonly host: string };
}

/** How much of what is under way is guests'. */
export class GuestCount {
  readonly #inside = new Map<string, number>();

  /** False where there is no more room; the owner always has some. */
  enter({ session, host }: Entering): boolean {
    if (!isGuest(session)) return true;
    const inside = this.#inside.get(host.host) ?? 0;
    if (inside >= MOST_GUESTS) return false;
    this.#inside.set(host.host, inside + 1);
    return true;
  }

  leave({ session, host }: Entering): void {
    if (!isGuest(session)) return;
    const left = (this.#inside.get(host.host) ?? 1) - 1;
    if (left > 0) this.#inside.set(host.host, left);
    else this.#inside.delete(host.host);
  }
}
