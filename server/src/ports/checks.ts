import type { CheckedKind, OpenCheck } from "#core/checks/check.ts";
import type { MayCheck } from "#core/checks/may-check.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { AuditActor } from "./accounts.ts";

/** The coordinator's side: it answers questions. Every write needs its epoch to be the newest (else NotLeader). */
export interface CheckStore {
  /** The database's time, and what is not answered. */
  readonly open: () => Promise<{ readonly now: Ms; readonly checks: readonly OpenCheck[] }>;
  /** False: it is not there any more, or was begun already. */
  readonly begin: (id: string) => Promise<boolean>;
  readonly finish: (id: string, outcome: Reason) => Promise<void>;
  /** Answers that are older than this. */
  readonly forget: (olderThanMs: number) => Promise<void>;
}

export interface NewCheck {
  readonly id: string;
  readonly userId: string;
  readonly kind: CheckedKind;
  readonly host: string;
  readonly cloneUrl: string;
}

export interface CheckRecord {
  readonly id: string;
  readonly host: string;
  readonly state: "asked" | "running" | "done";
  readonly askedAt: Ms;
  readonly finishedAt: Ms | null;
  readonly outcome: Reason | null;
}

/** The API's side: it asks, and never looks at an address or a value. */
export interface CheckRequests {
  /** Decided in the transaction that writes it, so two at once are one after the other. */
  readonly ask: (
    check: NewCheck,
    actor: AuditActor,
  ) => Promise<CheckRecord | Exclude<MayCheck, { readonly ok: true }> | "disabled">;
  /** Null also where it is another's. */
  readonly find: (userId: string, id: string) => Promise<CheckRecord | null>;
}
