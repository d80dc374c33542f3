import type { Bounds, Rules } from "./rules.ts";
import { copyState, type State } from "./state.ts";

/**
 * What a kind of move is to the question "does it converge?": faults, wishes and a person's rescue of a deleted
 * workspace may not be needed for that; time and the system's own work may.
 */
type Nature = "work" | "time" | "wish" | "fault" | "rescue";

/** Every kind of move of the protocol. A kind that no exploration takes means that the model has a dead part. */
export const KINDS = {
  "user.open": "work",
  "user.write": "work",
  "proxy.decide": "work",
  "proxy.connect": "work",
  "wish.run": "wish",
  "wish.standby": "wish",
  "wish.archive": "wish",
  "wish.reset": "wish",
  "wish.repeat": "wish",
  "wish.wake": "wish",
  "wish.delete": "wish",
  "wish.purge": "wish",
  "wish.undelete": "wish",
  "wish.undo-reset": "wish",
  "wish.repository": "wish",
  "wish.skip": "wish",
  recover: "work",
  "recover.deleted": "rescue",
  "recover.restore-archive": "rescue",
  "ttl.read": "work",
  "ttl.write": "work",
  "time.retention-ends": "time",
  "time.trash-ends": "time",
  "fault.crash": "fault",
  "fault.freeze": "fault",
  "fault.timeout": "fault",
  "fault.failed-attempt": "fault",
  "fault.late-write": "fault",
  "fault.rerun": "fault",
  "fault.overlap": "fault",
  "fault.corrupt-upload": "fault",
  "fault.hung-observation": "fault",
  "fault.answer-lost": "fault",
  "fault.disk-lost": "fault",
  "fault.store-lost": "fault",
  plan: "work",
  claim: "work",
  "claim.refused": "work",
  takeover: "work",
  "answer.restart": "work",
  "orphan.remove": "work",
  "act.remove": "work",
  "act.run": "work",
  "act.adopt": "work",
  "act.create": "work",
  "act.upload": "work",
  "act.launch": "work",
  "job.start": "work",
  "job.exit": "work",
  "job.end": "work",
  "job.git-fails": "work",
  "act.give-up": "work",
  "act.refused": "work",
  "verify.good": "work",
  "verify.bad": "work",
  "commit.PROVISIONING": "work",
  "commit.RESTORING": "work",
  "commit.PREPARING": "work",
  "commit.STARTING": "work",
  "commit.STOPPING": "work",
  "commit.ARCHIVING": "work",
  "commit.CREATE_EMPTY_ARCHIVE": "work",
  "commit.DISCARDING": "work",
  "commit.DELETING": "work",
  "commit.refused": "work",
  "gc.mark": "work",
  "gc.spare": "work",
  "gc.doom": "work",
  "gc.delete": "work",
  "reaper.choose": "work",
  "reaper.delete": "work",
  "reaper.give-up": "work",
} as const satisfies Record<string, Nature>;
export type Kind = keyof typeof KINDS | `planted.${string}`;

/** Does this kind of move count when we ask whether the system can settle by itself? */
export function isHelpful(kind: string): boolean {
  if (!(kind in KINDS)) return true;
  const nature: Nature = KINDS[kind as keyof typeof KINDS];
  return nature === "work" || nature === "time";
}

export interface Move {
  readonly kind: Kind;
  /** Only traces need the words, and only a few of millions of moves end up in one. */
  readonly describe: () => string;
  readonly to: State;
}

/** One state together with everything an actor needs to say what it could do next. */
export class Scene {
  readonly moves: Move[] = [];
  readonly rules: Rules;
  readonly bounds: Bounds;
  readonly now: State;

  constructor(rules: Rules, bounds: Bounds, now: State) {
    this.rules = rules;
    this.bounds = bounds;
    this.now = now;
  }

  can(kind: Kind, describe: () => string, effect: (t: State) => void): void {
    const to = copyState(this.now);
    effect(to);
    this.moves.push({ kind, describe, to });
  }
}
