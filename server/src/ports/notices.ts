import type { Concern } from "#core/notices/concerns.ts";
import type { NoticeState, Remembered } from "#core/notices/due.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** One thing that somebody is told, in words. */
export interface Notice {
  /** The same for both states of the same concern. */
  readonly id: string;
  readonly state: NoticeState;
  readonly code: string;
  readonly text: string;
  /** What to do; null where it is over, or nothing has to be done. */
  readonly action: string | null;
  /** Where it is seen. */
  readonly link: string;
  readonly since: Ms;
}

/** A way to people. Rejects when it is not certain that the message was taken; never takes longer than a minute. */
export interface NoticeChannel {
  readonly name: "webhook" | "email";
  readonly send: (notices: readonly Notice[]) => Promise<void>;
}

/** What each channel has told, and has still to tell. Writing is the leader's: NotLeader for any other. */
export interface NoticeStore {
  readonly read: (channel: string) => Promise<{ readonly now: Ms; readonly remembered: readonly Remembered[] }>;
  readonly write: (
    channel: string,
    changes: { readonly save: readonly Remembered[]; readonly forget: readonly string[] },
  ) => Promise<void>;
}

export type Say = (concern: Concern) => { readonly text: string; readonly action: string | null };
